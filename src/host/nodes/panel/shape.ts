/** Whether a value has the expected shape. */
export type Shape = (value: unknown) => boolean

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined

export const count: Shape = (value) => Number.isSafeInteger(value) && (value as number) >= 0

/** Bytes or milliseconds: users' files can have sizes and times beyond safe integers. */
export const amount: Shape = (value) => Number.isFinite(value) && (value as number) >= 0

export const flag: Shape = (value) => typeof value === 'boolean'

export const text =
  (max: number): Shape =>
  (value) =>
    typeof value === 'string' && value.length <= max

/** Text that is safe in a header or on one line. */
export const plain =
  (max: number): Shape =>
  (value) =>
    text(max)(value) && /^[\x20-\x7e]*$/.test(value as string)

export const exactly =
  (pattern: RegExp): Shape =>
  (value) =>
    typeof value === 'string' && pattern.test(value)

export const none: Shape = (value) => value === undefined || value === null

export const either =
  (...shapes: readonly Shape[]): Shape =>
  (value) =>
    shapes.some((shape) => shape(value))

export const oneOf =
  (...words: readonly string[]): Shape =>
  (value) =>
    words.includes(value as string)

export const maybe =
  (shape: Shape): Shape =>
  (value) =>
    value === undefined || value === null || shape(value)

export const list =
  (shape: Shape, max = 100_000): Shape =>
  (value) =>
    Array.isArray(value) && value.length <= max && value.every(shape)

/** An object with arbitrary keys. */
export const named =
  (shape: Shape, max: number): Shape =>
  (value) => {
    const all = Object.entries(fieldsOf(value) ?? {})
    return (
      fieldsOf(value) !== undefined && all.length <= max && all.every(([name, one]) => text(4096)(name) && shape(one))
    )
  }

/** Ignores unknown fields: they are from a newer version. */
export const fields = (shapes: Readonly<Record<string, Shape>>): Shape => {
  const all = Object.entries(shapes)
  return (value) => {
    const entries = fieldsOf(value)
    return entries !== undefined && all.every(([name, shape]) => shape(entries[name]))
  }
}
