import { z } from 'zod'
import { components, named } from '../common.ts'

export type Json = Record<string, unknown>
export type Direction = 'input' | 'output'

const prefix = '#/components/schemas/'
/** A reference to a named schema. */
export const ref = (name: string): Json => ({ $ref: prefix + name })

type Rewrite = NonNullable<NonNullable<Parameters<typeof z.toJSONSchema>[1]>['override']>
const int32 = 2 ** 31 - 1

function tidyInteger(schema: z.core.JSONSchema.BaseSchema, direction: Direction): void {
  if ((schema.maximum ?? Number.POSITIVE_INFINITY) > int32) schema.format = 'int64'
  if (direction === 'input') return
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
}

const tidy =
  (direction: Direction): Rewrite =>
  ({ jsonSchema }) => {
    if (jsonSchema.type === 'integer') tidyInteger(jsonSchema, direction)
    delete jsonSchema.propertyNames
  }

const bare = ({ $schema: _dialect, $id: _id, ...schema }: Json): Json => schema

function convert(schemas: ReadonlyMap<string, z.ZodType>, direction: Direction): Record<string, Json> {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of schemas) registry.add(schema, { id })
  const all = z.toJSONSchema(registry, { io: direction, uri: (id) => prefix + id, override: tidy(direction) })
  if ('__shared' in all.schemas)
    throw new Error('a schema contains itself: name it with component(), or use z.unknown()')
  return Object.fromEntries(Object.entries(all.schemas).map(([id, schema]) => [id, bare(schema as Json)]))
}

/** The names of schemas that `value` references. */
function* pointedTo(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    if (key === '$ref') yield String(inner).slice(prefix.length)
    else yield* pointedTo(inner)
  }
}

function reach(from: unknown, schemas: Record<string, Json>, found: Set<string>): Set<string> {
  for (const name of pointedTo(from)) {
    if (schemas[name] === undefined) throw new Error(`no schema is named ${name}`)
    if (!found.has(name)) reach(schemas[name], schemas, found.add(name))
  }
  return found
}

/** One direction of the document: the given schemas, and the named ones they use. */
export interface Translation {
  /** The JSON Schema of a given one, as a reference if it is named. */
  of(key: string): Json
  /** The named schemas in use, sorted by name. */
  readonly named: Record<string, Json>
}

/** Converts schemas to JSON Schema, for requests (`input`) or responses (`output`). */
export function translate(schemas: ReadonlyMap<string, z.ZodType>, direction: Direction): Translation {
  const anonymous = [...schemas].filter(([, schema]) => named.get(schema)?.id === undefined)
  const all = convert(new Map([...components, ...anonymous]), direction)
  const of = (key: string): Json => {
    const id = named.get(schemas.get(key)!)?.id
    return id === undefined ? all[key]! : ref(id)
  }
  const used = reach([...schemas.keys()].map(of), all, new Set())
  return { of, named: Object.fromEntries([...used].sort().map((name) => [name, all[name]!])) }
}

/** Merges both directions. A schema used in both must mean the same. */
export function join(input: Record<string, Json>, output: Record<string, Json>): Record<string, Json> {
  for (const name of Object.keys(input).filter((name) => name in output))
    if (JSON.stringify(input[name]) !== JSON.stringify(output[name]))
      throw new Error(`${name} differs between request and answer: give each a name of its own`)
  const all = { ...input, ...output }
  return Object.fromEntries(
    Object.keys(all)
      .sort()
      .map((name) => [name, all[name]!]),
  )
}
