import { ulid } from '../../shared/patterns.ts'

export type Values = Readonly<Record<string, unknown>>

const none: Values = {}

const notNames = new RegExp(`^(?:new|${ulid})$`)

/** Whether an address would take a name for the page that adds one, or for an id: its object is reached by id. */
export const isMisread = (name: string): boolean => notNames.test(name)

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
    if (rest) return text.split('/').map(encodeURIComponent).join('/')
    return encodeURIComponent(name === 'name' && isMisread(text) ? String(values['id'] ?? text) : text)
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
