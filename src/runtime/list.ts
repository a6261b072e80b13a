/** Drops what is null or undefined: an absent optional field is left out of answers, never null. */
export function present<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], null> } {
  const kept: Partial<T> = {}
  for (const key in fields) if (fields[key] !== null && fields[key] !== undefined) kept[key] = fields[key]
  return kept as { [K in keyof T]: Exclude<T[K], null> }
}
