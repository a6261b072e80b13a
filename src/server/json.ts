import { invalid } from '../contract/problem.ts'

/** JSON in which no object names a field twice: whoever else reads it might take the other value. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (namesIn(text) !== namesOf(value)) throw invalid('body', 'names a field twice')
  return value
}

const strings = /"[^"\\]*(?:\\.[^"\\]*)*"\s*(:?)/g

/** How many names of fields stand in a text that is JSON. */
function namesIn(text: string): number {
  let names = 0
  for (const [, colon] of text.matchAll(strings)) if (colon) names++
  return names
}

/** How many fields a value has, however deep: without recursion, which a caller could drive too deep. */
function namesOf(value: unknown): number {
  let names = 0
  const left = [value]
  while (left.length > 0) {
    const next = left.pop()
    if (typeof next !== 'object' || next === null) continue
    const inner = Object.values(next)
    if (!Array.isArray(next)) names += inner.length
    for (const one of inner) left.push(one)
  }
  return names
}
