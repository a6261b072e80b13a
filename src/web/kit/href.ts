export type Values = Readonly<Record<string, unknown>>

const none: Values = {}

/** An address from a pattern: `{name}` stands for a value, `{name...}` for a path; each part is encoded by itself. */
export function hrefTo(
  base: string,
  pattern: string,
  values: Values = none,
  query: Values = none,
  others: Values = none,
): string {
  const filled = (_: string, name: string, rest?: string): string => {
    const text = String(values[name] ?? others[name] ?? '')
    return rest ? text.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(text)
  }
  const path = pattern.includes('{') ? pattern.replace(/\{(\w+)(\.\.\.)?\}/g, filled) : pattern
  return `${path === '/' && base.includes('/', 1) ? base : base + path}${queryOf(query)}`
}

/** What a pattern of an address names. */
export const namesIn = (pattern: string): string[] =>
  [...pattern.matchAll(/\{(\w+)(?:\.\.\.)?\}/g)].map(([, name]) => name!)

export function queryOf(query: Values): string {
  if (query === none) return ''
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  return given.length === 0
    ? ''
    : `?${given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')}`
}

/** An address that a tenant gave, where a page may link to it. */
export const outsideLink = (url: string): string | undefined => (/^https?:\/\//i.test(url) ? url : undefined)
