import type { Visit } from './screen.ts'

/** The query of this page with some of it changed; empty values are left out. */
export function withQuery({ query }: Visit, changes: Readonly<Record<string, string>>): string {
  const next = new URLSearchParams(query)
  for (const name of ['done', 'job', 'undo', 'do', 'say']) next.delete(name)
  for (const [name, value] of Object.entries(changes)) value === '' ? next.delete(name) : next.set(name, value)
  return next.toString()
}
