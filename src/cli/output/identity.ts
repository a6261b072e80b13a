import type { Row } from './cells.ts'

interface Identified {
  readonly id: string
}

const isObject = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value)

const isIdentified = (value: unknown): value is Identified => isObject(value) && typeof value['id'] === 'string'

/** The id of a value, or of the object in it, as for a created token with its secret. */
export function idOf(value: unknown): string | undefined {
  if (isIdentified(value)) return value.id
  return isObject(value) ? Object.values(value).find(isIdentified)?.id : undefined
}
