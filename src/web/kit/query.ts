import type { Visit } from './screen.ts'
import { cursorIn } from './since.ts'

/** What an address says of the change before it. */
export const ofThePast = ['done', 'job', 'undo'] as const

/** This page with some of its query changed; without empty values, and where a log that is followed goes on. */
export function hereWith({ path, query, screen }: Visit, changes: Readonly<Record<string, string>>): string {
  const next = new URLSearchParams(query)
  for (const name of [...ofThePast, 'do', 'say', 'json']) next.delete(name)
  if (screen.since) next.delete('after')
  for (const [name, value] of Object.entries(changes)) value === '' ? next.delete(name) : next.set(name, value)
  return addressOf(path, next)
}

/** This page as it is now, from its beginning: a page that is followed is asked for what came after. */
export function refreshed({ path, query }: Visit): string {
  const now = new URLSearchParams(query)
  if (cursorIn(query) !== undefined) now.delete('after')
  return addressOf(path, now)
}

export const addressOf = (path: string, query: URLSearchParams): string => (query.size > 0 ? `${path}?${query}` : path)
