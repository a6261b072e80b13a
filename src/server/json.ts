import { invalid, type Problem } from '../contract/problem.ts'

/** Levels of lists and objects in a body: no schema has more, and what is deeper is not parsed. */
export const MAX_DEPTH = 32

/** Limits on a body's content. Lists count too: checking a value takes longer than sending it. */
export interface JsonLimits {
  readonly names: number
  readonly values: number
}

/**
 * Parses JSON in which no object repeats a field: another reader might use the other value. Limits are checked, and the
 * values paid for, before objects are created.
 */
export function parseJson(text: string, limits: JsonLimits, pay: (values: number) => void = () => {}): unknown {
  const { names, values } = countContent(text, limits)
  pay(values)
  const value: unknown = JSON.parse(text)
  if (names !== namesOf(value)) throw invalid('body', 'contains a field twice')
  return value
}

export function refuseBeyond({ names, values }: JsonLimits, limits: JsonLimits): void {
  if (names > limits.names) throw invalid('body', `must not contain more than ${limits.names} fields`)
  if (values > limits.values) throw invalid('body', `must not contain more than ${limits.values} values`)
}

const tooDeep = (): Problem => invalid('body', `must not be nested deeper than ${MAX_DEPTH} levels`)

const backslash = 0x5c

/**
 * Counts the values in a JSON text, and the field names: each of those has a colon outside strings. What lies between
 * is skipped by searches, which are many times faster than a look at each character.
 */
function countContent(text: string, limits: JsonLimits): JsonLimits {
  const seen = { names: 0, values: 0 }
  let depth = 0
  const signs = /[":,[\]{}]/g
  for (let found = signs.exec(text); found; found = signs.exec(text)) {
    if (found[0] === '"') signs.lastIndex = endOfString(text, signs.lastIndex)
    else if (found[0] === ':') seen.names++
    else if (found[0] === ']' || found[0] === '}') depth--
    else seen.values++
    if ((found[0] === '[' || found[0] === '{') && ++depth > MAX_DEPTH) throw tooDeep()
    refuseBeyond(seen, limits)
  }
  return seen
}

/** After the next quote that is not escaped: an even number of backslashes precedes it. */
function endOfString(text: string, from: number): number {
  for (let at = from; ; ) {
    const quote = text.indexOf('"', at)
    if (quote < 0) return text.length
    let start = quote
    while (start > at && text.charCodeAt(start - 1) === backslash) start--
    if ((quote - start) % 2 === 0) return quote + 1
    at = quote + 1
  }
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
