type Bag = Readonly<Record<string, unknown>>

/** The value at a dotted name. */
export const at = (value: unknown, name: string): unknown =>
  name.split('.').reduce<unknown>((inner, key) => (inner as Bag | null | undefined)?.[key], value)

/** Sets the value at a dotted name, creating objects on the way: they replace a word that stands there. */
export function put(body: Record<string, unknown>, name: string, value: unknown): void {
  const keys = name.split('.')
  const last = keys.pop() ?? name
  let holder = body
  for (const key of keys) {
    if (typeof holder[key] !== 'object' || holder[key] === null) holder[key] = {}
    holder = holder[key] as Record<string, unknown>
  }
  holder[last] = value
}
