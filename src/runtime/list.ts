/** Drops what is null or undefined: an absent optional field is left out of answers, never null. */
export function present<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], null> } {
  for (const key of Object.keys(fields) as (keyof T)[])
    if (fields[key] === null || fields[key] === undefined) delete fields[key]
  return fields as { [K in keyof T]: Exclude<T[K], null> }
}
