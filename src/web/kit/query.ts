import type { Visit } from './screen.ts'
import { cursorIn } from './since.ts'

/** The query of this page with some of it changed; without empty values, and where a log that is followed goes on. */
export function withQuery({ query, screen }: Visit, changes: Readonly<Record<string, string>>): string {
  const next = new URLSearchParams(query)
  for (const name of ['done', 'job', 'undo', 'do', 'say']) next.delete(name)
  if (screen.since) next.delete('after')
  for (const [name, value] of Object.entries(changes)) value === '' ? next.delete(name) : next.set(name, value)
  return next.toString()
}

/** This page as it is now, from its beginning: a page that is followed is asked for what came after. */
export function refreshed({ path, query }: Visit): string {
  const now = new URLSearchParams(query)
  if (cursorIn(query) !== undefined) now.delete('after')
  return now.size > 0 ? `${path}?${now}` : path
}
