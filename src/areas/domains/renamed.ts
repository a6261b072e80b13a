import type { Db } from '../../store/open.ts'
import { servedDomains } from './store.ts'

/** A main domain may have another name than in a backup, and what is below it with it. */
export const renaming = (from: string, to: string) => (name: string) =>
  name === from || name.endsWith(`.${from}`) ? `${name.slice(0, -from.length)}${to}` : name

/** Domains by id, as a backup names them: one on its way out is in none. */
export const namesOf = (db: Db, account: string): ReadonlyMap<string, string> =>
  new Map(servedDomains(db, account).map(({ id, name }) => [id, name]))
