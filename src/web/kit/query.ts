import type { Visit } from './screen.ts'
import { cursorIn } from './since.ts'

/** Query parameters that describe the previous change. */
export const ofThePast = ['done', 'job', 'undo'] as const

/** This page with some query parameters changed; drops empty values and the position in a live log. */
export function hereWith({ path, query, screen }: Visit, changes: Readonly<Record<string, string>>): string {
  const next = new URLSearchParams(query)
  for (const name of [...ofThePast, 'do', 'say', 'json']) next.delete(name)
  if (screen.since) next.delete('after')
  for (const [name, value] of Object.entries(changes)) value === '' ? next.delete(name) : next.set(name, value)
  return addressOf(path, next)
}

/** This page from its beginning: a live page's own address asks only for what is new. */
export function refreshed({ path, query }: Visit): string {
  const now = new URLSearchParams(query)
  if (cursorIn(query) !== undefined) now.delete('after')
  return addressOf(path, now)
}

export const addressOf = (path: string, query: URLSearchParams): string => (query.size > 0 ? `${path}?${query}` : path)
