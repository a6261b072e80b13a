import { invalid } from '../contract/problem.ts'

/** Limits on a body's content. Lists count too: checking a value takes longer than sending it. */
export interface Most {
  readonly names: number
  readonly values: number
}

/**
 * Parses JSON in which no object repeats a field: another reader might use the other value. Limits are checked before
 * objects are created.
 */
export function parseJson(text: string, most: Most): unknown {
  const names = namesIn(text, most)
  const value: unknown = JSON.parse(text)
  if (names !== namesOf(value)) throw invalid('body', 'contains a field twice')
  return value
}

export function refuseBeyond({ names, values }: Most, most: Most): void {
  if (names > most.names) throw invalid('body', `must not contain more than ${most.names} fields`)
  if (values > most.values) throw invalid('body', `must not contain more than ${most.values} values`)
}

const [quote, backslash, colon] = [0x22, 0x5c, 0x3a]
const begins = new Set(Array.from(',[{', (sign) => sign.charCodeAt(0)))

/** Counts the field names in a JSON text: each has a colon outside strings. */
function namesIn(text: string, most: Most): number {
  const seen = { names: 0, values: 0 }
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at)
    if (inString && sign === backslash) at++
    else if (sign === quote) inString = !inString
    else if (!inString && sign === colon) seen.names++
    else if (!inString && begins.has(sign)) seen.values++
    else continue
    refuseBeyond(seen, most)
  }
  return seen.names
}

/** Counts a value's fields at any depth, without recursion, which a caller could drive too deep. */
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
