import { z } from 'zod'

/** The subset of JSON Schema that the command line and the forms need. */
export interface Schema {
  title?: string
  format?: string
  default?: unknown
  examples?: unknown[]
  multiline?: boolean
  minimum?: number
  type?: string | string[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  additionalProperties?: Schema | boolean
  anyOf?: Schema[]
  allOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  pattern?: string
  $ref?: string
}

/** The JSON Schema of a request (`input`) or response (`output`). */
export const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Schema =>
  z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Schema

/** The variants of a schema, without null. */
export const variants = (schema: Schema): Schema[] =>
  (schema.anyOf ?? [schema]).flatMap((one) => (one.anyOf ? variants(one) : one.type === 'null' ? [] : [one]))

export const isNullable = (schema: Schema): boolean =>
  schema.type === 'null' || (schema.anyOf?.some((one) => one.type === 'null') ?? false)

/**
 * What a property has to be typed: of a choice between a word and objects, the word under its own name, and the fields
 * of all the objects.
 */
export function alternatives(property: Schema): { readonly word?: Schema; readonly objects: readonly Schema[] } {
  const all = variants(property)
  const objects = all.filter((one) => one.properties)
  const words = all.filter((one) => one.const !== undefined || one.enum)
  if (objects.length < 2 || words.length === 0) return { objects: objects.slice(0, 1) }
  return { word: { ...property, anyOf: words }, objects }
}

/** The closed set of values; undefined if any variant is open. */
export function choicesOf(schema: Schema): string[] | undefined {
  const sets = variants(schema).map((one) => one.enum ?? ('const' in one ? [one.const] : undefined))
  return sets.length > 0 && sets.every((set) => set !== undefined) ? sets.flat().map(String) : undefined
}

export const descriptionOf = (schema: Schema): string =>
  schema.description ?? variants(schema).find((one) => one.description)?.description ?? ''

/** The schema of a property, if the object has it. */
export const propertyOf = (schema: Schema, name: string): Schema | undefined => schema.properties?.[name]
