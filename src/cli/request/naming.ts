type NamedFields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is NamedFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const naming = ['name', 'username', 'address', 'domain', 'email', 'id']

/** The name of a value, or else its id. */
export function nameOf(value: unknown): string {
  if (!isObject(value)) return String(value ?? '')
  // An object with its account's name has no name of its own.
  const own = 'account_id' in value ? naming.filter((one) => one !== 'username') : naming
  const field = [...own, 'type', 'kind'].find((one) => typeof value[one] === 'string')
  // Two words name a template: `welcome de`.
  return field ? [value[field], field === 'kind' && value['locale']].filter(Boolean).join(' ') : ''
}

/** Identifies an object in a line: `@ TXT "v=spf1 -all"`, or its name and kind. */
export function labelOf(value: unknown): string {
  if (!isObject(value)) return String(value ?? '')
  if (typeof value['type'] === 'string' && typeof value['value'] === 'string') return recordLabel(value)
  const identifying = ['schedule', 'command', 'url', 'kind', 'status'].map((field) => value[field])
  const name = nameOf(value)
  const named = name === value['id'] ? [] : [name]
  return shortened([...named, ...identifying.filter((one) => typeof one === 'string' && one !== name)].join(' '))
}

/** As a line of a zone file, without the TTL. */
function recordLabel({ name, type, priority, weight, port, value }: NamedFields): string {
  const text = type === 'TXT' ? `"${shortened(String(value))}"` : shortened(String(value))
  return [name, type, priority, weight, port, text].filter((part) => part !== undefined).join(' ')
}

/** A label fits on a line of a question. */
const MAX_LABEL_LENGTH = 60

const shortened = (text: string): string =>
  text.length > MAX_LABEL_LENGTH ? `${text.slice(0, MAX_LABEL_LENGTH - 1)}…` : text
