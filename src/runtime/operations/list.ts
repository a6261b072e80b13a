/** Drops null and undefined fields: responses omit absent optional fields. */
export function present<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], null> } {
  const selected: Partial<T> = {}
  for (const key in fields) if (fields[key] !== null && fields[key] !== undefined) selected[key] = fields[key]
  return selected as { [K in keyof T]: Exclude<T[K], null> }
}
