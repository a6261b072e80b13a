import { type SQL, sql } from 'drizzle-orm'

/** `LIKE '%q%'` with q taken as it is. LIKE reads a pattern up to its first NUL, and no name holds one. */
export const contains = (column: unknown, q: string): SQL =>
  q.includes('\0') ? sql`0` : sql`${column} LIKE ${`%${q.replace(/[\\%_]/g, (char) => `\\${char}`)}%`} ESCAPE '\\'`

/** An exact match first, then in order of creation. */
export const exactFirst = (column: unknown, q: string): SQL => sql`(${column} = ${q} COLLATE NOCASE) DESC`

/** Drops what is null or undefined: an absent optional field is left out of answers, never null. */
export function present<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], null> } {
  for (const key of Object.keys(fields) as (keyof T)[])
    if (fields[key] === null || fields[key] === undefined) delete fields[key]
  return fields as { [K in keyof T]: Exclude<T[K], null> }
}

export const offsetOf = (query: { page: number; per_page: number }): number => (query.page - 1) * query.per_page
