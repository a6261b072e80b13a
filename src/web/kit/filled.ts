import { recall } from '../../shared/recall.ts'

const known = new Map<string, readonly string[]>()
const most = 1_000

/** Fills a text's placeholders: `{name}` for a value, `{name...}` for a path; the text is parsed once. */
export function filled(text: string, textOf: (name: string) => string): string {
  if (!text.includes('{')) return text
  const parts = recall(known, text, () => text.split(/\{(\w+(?:\.\.\.)?)\}/), most)
  let whole = parts[0]!
  for (let place = 1; place < parts.length; place += 2) whole += textOf(parts[place]!) + parts[place + 1]
  return whole
}
