const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu
const MAX_LENGTH = 120

/** What tenants may have written, without what a receiver might act on: mentions, links, markup. */
export function inert(text: string, max = MAX_LENGTH): string {
  const flat = text
    .replace(unseen, ' ')
    .replace(/<[!@#][^>]*>?/g, ' ')
    .replace(/@(?=everyone|here|channel|all\b)/gi, '')
    .replace(/\b[a-z][a-z0-9+.-]{1,20}:\/\//gi, '')
    .replace(/[<>]/g, (one) => (one === '<' ? '‹' : '›'))
    .replace(/\[/g, '(')
    .replace(/\]/g, ')')
    .trim()
  const all = [...flat]
  return all.length > max ? `${all.slice(0, max - 1).join('')}…` : flat
}
