import { z } from 'zod'

/**
 * An SQL expression for the JSON text of a schema's object; `source` maps each field to its expression. Null fields are
 * omitted. The schema's first field must not be null.
 */
export function jsonText(schema: z.ZodObject, source: (field: string) => string): string {
  const members = Object.entries(schema.shape).map(([name, field], place) =>
    member(`'${place === 0 ? '{' : ','}${JSON.stringify(name)}:'`, field as z.ZodType, source(name)),
  )
  return `concat(${members.join(', ')}, '}')`
}

/** A null value makes the whole member null, and concat() skips nulls. */
function member(name: string, schema: z.ZodType, source: string): string {
  if (!(schema instanceof z.ZodOptional)) return `${name}, ${valueText(schema, source)}`
  const value = valueText(schema.unwrap() as z.ZodType, source)
  return value === source ? `${name} || ${value}` : `iif(${source} IS NULL, NULL, ${name} || ${value})`
}

function valueText(schema: z.ZodType, source: string): string {
  if (schema instanceof z.ZodNumber) return source
  return schema instanceof z.ZodBoolean ? `iif(${source}, 'true', 'false')` : `json_quote(${source})`
}
