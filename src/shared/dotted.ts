type Bag = Readonly<Record<string, unknown>>

/** The value that a dotted name reaches. */
export const at = (value: unknown, name: string): unknown =>
  name.split('.').reduce<unknown>((inner, key) => (inner as Bag | null | undefined)?.[key], value)

/** Puts a value where a dotted name reaches, with objects on the way. */
export function put(body: Record<string, unknown>, name: string, value: unknown): void {
  const keys = name.split('.')
  const last = keys.pop() ?? name
  let holder = body
  for (const key of keys) {
    holder[key] ??= {}
    holder = holder[key] as Record<string, unknown>
  }
  holder[last] = value
}
