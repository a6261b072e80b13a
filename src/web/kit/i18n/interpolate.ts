import { memoize } from '../../../shared/memoize.ts'

const known = new Map<string, readonly string[]>()
const MAX_CACHED_TEMPLATES = 1_000

/** Fills a text's placeholders: `{name}` for a value, `{name...}` for a path; the text is parsed once. */
export function interpolate(text: string, textOf: (name: string) => string): string {
  if (!text.includes('{')) return text
  const parts = memoize(known, text, () => text.split(/\{(\w+(?:\.\.\.)?)\}/), MAX_CACHED_TEMPLATES)
  let complete = parts[0]!
  for (let place = 1; place < parts.length; place += 2) complete += textOf(parts[place]!) + parts[place + 1]
  return complete
}
