import { z } from 'zod'

/** Returns the value with what it cuts; the same value if there is nothing to cut. */
type Cut = (value: unknown) => unknown

const cuts = new WeakMap<z.core.$ZodType, Cut>()
const nothing: Cut = (value) => value

/**
 * Cuts lists that are longer than their schema allows to one item more: the schema checks each item before it refuses the
 * list for its length, and callers can send many thousand.
 */
export const cutLongLists = (schema: z.core.$ZodType, value: unknown): unknown => cutOf(schema)(value)

function cutOf(schema: z.core.$ZodType): Cut {
  const known = cuts.get(schema)
  if (known) return known
  const made = makeCut(schema)
  cuts.set(schema, made)
  return made
}

function makeCut(schema: z.core.$ZodType): Cut {
  if (schema instanceof z.ZodObject) return ofObject(schema)
  if (schema instanceof z.ZodArray) return ofLists([schema])
  if (schema instanceof z.ZodUnion) return ofLists(schema.options.filter((option) => option instanceof z.ZodArray))
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return cutOf(schema.unwrap())
  return nothing
}

function ofObject({ shape }: z.ZodObject): Cut {
  const fields = Object.entries(shape).flatMap(([name, field]) => {
    const cut = cutOf(field)
    return cut === nothing ? [] : [{ name, cut }]
  })
  if (fields.length === 0) return nothing
  return (value) => {
    if (typeof value !== 'object' || value === null) return value
    const object = value as Record<string, unknown>
    const changed = fields.flatMap(({ name, cut }) => {
      const inner = Object.hasOwn(object, name) ? object[name] : undefined
      const short = cut(inner)
      return short === inner ? [] : [[name, short]]
    })
    return changed.length === 0 ? value : { ...object, ...Object.fromEntries(changed) }
  }
}

/** By the longest list that one of them takes. */
function ofLists(lists: readonly z.ZodArray[]): Cut {
  if (lists.length === 0) return nothing
  const max = Math.max(...lists.map(maxItems))
  const items = lists.map(({ element }) => cutOf(element)).find((cut) => cut !== nothing) ?? nothing
  return (value) => {
    if (!Array.isArray(value)) return value
    const short = value.length > max ? value.slice(0, max + 1) : value
    if (items === nothing) return short
    const cut = short.map(items)
    return short === value && cut.every((item, index) => item === value[index]) ? value : cut
  }
}

function maxItems({ def }: z.ZodArray): number {
  const limits = (def.checks ?? []).map(({ _zod }) => (_zod.def as { maximum?: number }).maximum)
  return Math.min(...limits.filter((limit) => limit !== undefined))
}
