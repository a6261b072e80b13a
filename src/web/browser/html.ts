interface Policy {
  createHTML(html: string): string
}

const { trustedTypes } = globalThis as { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } }
const asWritten: Policy = { createHTML: (html) => html }

/** The only Trusted Types policy: it passes the server's markup through unchanged. */
const policy = trustedTypes?.createPolicy('panel', asWritten) ?? asWritten

/** The only place that parses HTML. */
export function nodesOf(html: string): DocumentFragment {
  const template = document.createElement('template')
  template.innerHTML = policy.createHTML(html)
  return template.content
}

export const make = <K extends keyof HTMLElementTagNameMap>(tag: K, look: object = {}): HTMLElementTagNameMap[K] =>
  Object.assign(document.createElement(tag), look)
