import type { ViewContext } from '../screen.ts'
import { cursorIn } from './log-cursor.ts'

/** Query parameters that describe the previous change. */
export const NOTICE_PARAMETERS = ['done', 'job', 'undo'] as const

/** This page with some query parameters changed; drops empty values and the position in a live log. */
export function currentPathWith(
  { path, query, screen }: ViewContext,
  changes: Readonly<Record<string, string>>,
): string {
  const next = new URLSearchParams(query)
  for (const name of [...NOTICE_PARAMETERS, 'do', 'say', 'json']) next.delete(name)
  if (screen.since) next.delete('after')
  for (const [name, value] of Object.entries(changes)) value === '' ? next.delete(name) : next.set(name, value)
  return addressOf(path, next)
}

/** This page from its beginning: a live page's own address asks only for what is new. */
export function refreshed({ path, query }: ViewContext): string {
  const now = new URLSearchParams(query)
  if (cursorIn(query) !== undefined) now.delete('after')
  return addressOf(path, now)
}

export const addressOf = (path: string, query: URLSearchParams): string => (query.size > 0 ? `${path}?${query}` : path)
