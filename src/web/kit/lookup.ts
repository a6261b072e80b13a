/** Looks up a name from outside in a table, without what all objects inherit. */
export const lookupOwn = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined
