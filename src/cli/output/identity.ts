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

const naming = ['name', 'username', 'address', 'domain', 'email', 'id']

/** The name of a value, or else its id. */
export function nameOf(value: unknown): string {
  if (!isObject(value)) return String(value ?? '')
  // An object with its account's name has no name of its own.
  const own = 'account_id' in value ? naming.filter((one) => one !== 'username') : naming
  const field = own.find((one) => typeof value[one] === 'string')
  return field ? String(value[field]) : ''
}
