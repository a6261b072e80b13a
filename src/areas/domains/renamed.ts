import type { Db } from '../../store/open.ts'
import { servedDomains } from './store.ts'

/** Maps names in a backup to current ones, after a rename of the main domain and its subdomains. */
export const renaming = (from: string, to: string) => (name: string) =>
  name === from || name.endsWith(`.${from}`) ? `${name.slice(0, -from.length)}${to}` : name

/** Domains by id, as backups name them; excludes those being deleted. */
export const namesOf = (db: Db, account: string): ReadonlyMap<string, string> =>
  new Map(servedDomains(db, account).map(({ id, name }) => [id, name]))
