import { ulid } from '../../../shared/patterns.ts'
import { interpolate } from '../i18n/interpolate.ts'

export type Values = Readonly<Record<string, unknown>>

const none: Values = {}

const notNames = new RegExp(`^(?:new|${ulid})$`)

/** Whether an address would mistake the name for `new` or for an id: such an object is addressed by id. */
export const isMisread = (name: string): boolean => notNames.test(name)

/** Builds an address from a pattern: `{name}` stands for a value, `{name...}` for a path; each segment is encoded. */
export function hrefTo(
  base: string,
  pattern: string,
  values: Values = none,
  query: Values = none,
  others: Values = none,
): string {
  const textOf = (name: string): string => String(values[name] ?? others[name] ?? '')
  const path = interpolate(pattern, (name) => {
    if (name.endsWith('...')) return textOf(name.slice(0, -3)).split('/').map(encodeURIComponent).join('/')
    const text = textOf(name)
    return encodeURIComponent(name === 'name' && isMisread(text) ? String(values['id'] ?? text) : text)
  })
  return `${path === '/' && base.includes('/', 1) ? base : base + path}${queryOf(query)}`
}

/** The names of a pattern's placeholders. */
export const namesIn = (pattern: string): string[] =>
  [...pattern.matchAll(/\{(\w+)(?:\.\.\.)?\}/g)].map(([, name]) => name!)

export function queryOf(query: Values): string {
  if (query === none) return ''
  const present = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  return present.length === 0
    ? ''
    : `?${present.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')}`
}

/** A tenant's address, if a page may link to it. */
export const outsideLink = (url: string): string | undefined => (/^https?:\/\//i.test(url) ? url : undefined)
