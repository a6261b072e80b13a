type Values = Readonly<Record<string, unknown>>

/** An address from a pattern: `{name}` stands for a value, `{name...}` for a path; each part is encoded by itself. */
export function hrefTo(base: string, pattern: string, values: Values = {}, query: Values = {}): string {
  const path = pattern.replace(/\{(\w+)(\.\.\.)?\}/g, (_, name: string, rest?: string) => {
    const text = String(values[name] ?? '')
    return rest ? text.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(text)
  })
  return `${path === '/' && base.includes('/', 1) ? base : base + path}${queryOf(query)}`
}

export function queryOf(query: Values): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  return given.length === 0
    ? ''
    : `?${given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')}`
}

/** An address that a tenant gave, where a page may link to it. */
export const outsideLink = (url: string): string | undefined => (/^https?:\/\//i.test(url) ? url : undefined)
