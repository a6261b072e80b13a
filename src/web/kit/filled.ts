import { recall } from '../../shared/recall.ts'

const known = new Map<string, readonly string[]>()
const most = 1_000

/** A text in which `{name}` stands for a value, and `{name...}` for a path; it is taken apart once. */
export function filled(text: string, textOf: (name: string) => string): string {
  if (!text.includes('{')) return text
  const parts = recall(known, text, () => text.split(/\{(\w+(?:\.\.\.)?)\}/), most)
  let whole = parts[0]!
  for (let place = 1; place < parts.length; place += 2) whole += textOf(parts[place]!) + parts[place + 1]
  return whole
}
