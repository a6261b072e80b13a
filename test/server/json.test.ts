import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MAX_DEPTH, parseJson } from '../../src/server/json.ts'
import { runs } from '../fuzz.ts'

const limits = { names: 20, values: 100 }

/** One character at a time. */
function counted(text: string): { names: number; values: number; depth: number } {
  const seen = { names: 0, values: 0, depth: 0 }
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!
    if (inString && sign === '\\') at++
    else if (sign === '"') inString = !inString
    else if (!inString && sign === ':') seen.names++
    else if (!inString && ',[{'.includes(sign)) seen.values++
    if (!inString && '[{'.includes(sign)) seen.depth = Math.max(seen.depth, ++depth)
    if (!inString && ']}'.includes(sign)) depth--
  }
  return seen
}

const outcome = (text: string): unknown => {
  try {
    return parseJson(text, limits)
  } catch (error) {
    return (error as Error).message
  }
}

const scrap = fc.constantFrom('"', '\\', '\\\\', '\\"', ':', ',', '[', ']', '{', '}', '"a":', '1', ' ', '"\\\\"', 'ü')
const text = fc.oneof(
  fc.array(scrap, { maxLength: 80 }).map((parts) => parts.join('')),
  fc.json({ maxDepth: 5 }),
  fc.array(fc.constantFrom('[', '{"a":', ']', '}'), { minLength: 30, maxLength: 80 }).map((parts) => parts.join('')),
  fc.json().map((inner) => JSON.stringify({ [inner]: inner, b: [inner] })),
)

test('fields and values are counted as they stand outside strings', () => {
  fc.assert(
    fc.property(text, (one) => {
      const { names, values, depth } = counted(one)
      const result = outcome(one)
      if (depth > MAX_DEPTH) expect(result).toMatch(/must not (contain more than|be nested deeper)/)
      else if (names > limits.names || values > limits.values) expect(result).toMatch(/must not contain more than/)
      else expect(JSON.stringify(result)).not.toMatch(/must not contain more than/)
    }),
    runs(2000),
  )
})

describe('large JSON body', () => {
  const count = 2_000_000
  test.each([
    ['nested lists', '['.repeat(count), 'body: must not be nested deeper than 32 levels'],
    ['lists side by side', `[${'[],'.repeat(count)}`, 'body: must not contain more than 100 values'],
    ['fields', `{${'"a":1,'.repeat(count)}`, 'body: must not contain more than 20 fields'],
    ['empty objects', `[${'{},'.repeat(count)}`, 'body: must not contain more than 100 values'],
  ])('counts %s before any is made', (_, body, message) => expect(outcome(body)).toBe(message))

  test('reads strings of quotes and backslashes once', () => {
    for (const part of ['\\"', '\\\\', ':', ',{['])
      expect(outcome(`{"a":"${part.repeat(count)}"}`)).toEqual({ a: JSON.parse(`"${part.repeat(count)}"`) })
  })
})
