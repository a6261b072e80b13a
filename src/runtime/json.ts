import { z } from 'zod'

/**
 * An SQL expression for the JSON text of a schema's object, with each field from the expression that `source` names.
 * A field that is null is left out. The schema's first field is never null.
 */
export function jsonText(schema: z.ZodObject, source: (field: string) => string): string {
  const members = Object.entries(schema.shape).map(([name, field], place) => {
    const start = `'${place === 0 ? '{' : ','}${JSON.stringify(name)}:'`
    return `${start} || ${valueText(field as z.ZodType, source(name))}`
  })
  // A null member makes its name null too, and concat() passes over it.
  return `concat(${members.join(', ')}, '}')`
}

function valueText(schema: z.ZodType, expression: string): string {
  if (schema instanceof z.ZodOptional) return valueText(schema.unwrap() as z.ZodType, expression)
  if (schema instanceof z.ZodNumber) return expression
  if (schema instanceof z.ZodBoolean) return `iif(${expression}, 'true', 'false')`
  return `CASE WHEN ${expression} IS NOT NULL THEN json_quote(${expression}) END`
}
