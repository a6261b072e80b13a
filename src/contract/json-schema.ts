import { z } from 'zod'

/** The subset of JSON Schema that the command line and the forms need. */
export interface Schema {
  title?: string
  format?: string
  default?: unknown
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

/** The closed set of values; undefined if any variant is open. */
export function choicesOf(schema: Schema): string[] | undefined {
  const sets = variants(schema).map((one) => one.enum ?? ('const' in one ? [one.const] : undefined))
  return sets.length > 0 && sets.every((set) => set !== undefined) ? sets.flat().map(String) : undefined
}

export const descriptionOf = (schema: Schema): string =>
  schema.description ?? variants(schema).find((one) => one.description)?.description ?? ''

/** The schema of a property, if the object has it. */
export const propertyOf = (schema: Schema, name: string): Schema | undefined => schema.properties?.[name]
