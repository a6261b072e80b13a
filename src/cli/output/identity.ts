import type { Row } from './cells.ts'

interface Identified {
  readonly id: string
}

const isObject = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value)

const isIdentified = (value: unknown): value is Identified => isObject(value) && typeof value['id'] === 'string'

/** Its id, or that of the object it carries, as a created token beside its secret. */
export function idOf(value: unknown): string | undefined {
  if (isIdentified(value)) return value.id
  return isObject(value) ? Object.values(value).find(isIdentified)?.id : undefined
}

const naming = ['name', 'username', 'address', 'domain', 'email', 'id']

/** What people call it: its name, or else its id. */
export function nameOf(value: unknown): string {
  if (!isObject(value)) return String(value ?? '')
  // What carries the name of its account has no name of its own.
  const own = 'account_id' in value ? naming.filter((one) => one !== 'username') : naming
  const field = own.find((one) => typeof value[one] === 'string')
  return field ? String(value[field]) : ''
}
