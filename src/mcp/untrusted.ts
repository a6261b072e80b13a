import type { z } from 'zod'
import { ulid } from '../shared/patterns.ts'

/** Controls, and what changes how the text around it reads: bidirectional, zero-width and other format characters. */
const INVISIBLE = /\p{Cc}|\p{Cf}|[\u2028\u2029]|\p{Variation_Selector}|\p{Default_Ignorable_Code_Point}/gu

const codesOf = (one: string): string =>
  Array.from({ length: one.length }, (_, at) => `\\u${one.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')

/** JSON in which nothing is invisible. */
export const visibleJson = (value: unknown): string => JSON.stringify(value).replace(INVISIBLE, codesOf)

/** Text of others inside a sentence: quoted, cut, and without anything invisible. */
export const quoted = (text: string, max = 64): string => {
  const short = Array.from(text)
  return visibleJson(short.length > max ? `${short.slice(0, max - 1).join('')}…` : text)
}

const id = new RegExp(`^${ulid}$`)

type Inner = { readonly def: { readonly type: string } & Record<string, unknown> }

/**
 * The paths of the strings in an answer that its schema leaves open: names, logs, and whatever else strangers may have
 * written. List positions are `[*]`, as in JMESPath. Without a schema every string but an id is one.
 */
export function untrustedPaths(value: unknown, schema: z.ZodType | undefined, at: string): string[] {
  const found = new Set<string>()
  look(value, schema as Inner | undefined, at, found)
  return [...found]
}

function look(value: unknown, schema: Inner | undefined, at: string, found: Set<string>): void {
  if (typeof value === 'string') {
    if (!id.test(value) && !isClosed(schema, value)) found.add(at)
  } else if (Array.isArray(value)) for (const item of value) look(item, partOf(schema, 'element'), `${at}[*]`, found)
  else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value))
      look(inner, fieldOf(schema, name), `${at}.${nameIn(name)}`, found)
}

/** Names other than plain identifiers are quoted, as in JMESPath. */
const nameIn = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : visibleJson(name))

const wrappers = new Set(['optional', 'nullable', 'default', 'readonly', 'nonoptional'])

function bare(schema: Inner | undefined): Inner | undefined {
  return schema && wrappers.has(schema.def.type) ? bare(schema.def['innerType'] as Inner) : schema
}

function optionsOf(schema: Inner | undefined): Inner[] {
  const inner = bare(schema)
  if (!inner) return []
  return inner.def.type === 'union' ? (inner.def['options'] as Inner[]).flatMap(optionsOf) : [inner]
}

/** Whether the value is one of a closed set that the schema states. */
const isClosed = (schema: Inner | undefined, value: string): boolean =>
  optionsOf(schema).some(({ def }) => {
    if (def.type === 'enum') return Object.values(def['entries'] as object).includes(value)
    return def.type === 'literal' && (def['values'] as unknown[]).includes(value)
  })

const partOf = (schema: Inner | undefined, part: string): Inner | undefined =>
  optionsOf(schema)
    .map(({ def }) => def[part] as Inner | undefined)
    .find((one) => one !== undefined)

function fieldOf(schema: Inner | undefined, name: string): Inner | undefined {
  for (const { def } of optionsOf(schema)) {
    const shape = def['shape'] as Record<string, Inner> | undefined
    if (shape && Object.hasOwn(shape, name)) return shape[name]
    if (def.type === 'record') return def['valueType'] as Inner
  }
  return undefined
}
