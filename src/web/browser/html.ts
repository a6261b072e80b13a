interface Policy {
  createHTML(html: string): string
}

const { trustedTypes } = globalThis as { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } }
const asWritten: Policy = { createHTML: (html) => html }

/** The one policy: what the server wrote is what the page would have held. */
const policy = trustedTypes?.createPolicy('panel', asWritten) ?? asWritten

/** The only place where text becomes elements. */
export function nodesOf(html: string): DocumentFragment {
  const template = document.createElement('template')
  template.innerHTML = policy.createHTML(html)
  return template.content
}

export const make = <K extends keyof HTMLElementTagNameMap>(tag: K, look: object = {}): HTMLElementTagNameMap[K] =>
  Object.assign(document.createElement(tag), look)
