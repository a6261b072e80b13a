import { Problem } from '../../../contract/problem.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { refuseBeingDeleted } from '../../domains/busy.ts'
import { domainsNamed } from '../../domains/store.ts'
import type { DomainRow } from '../../domains/tables.ts'

/** Maps a name in a backup to its current one. */
export type NameNow = (name: string) => string

/** The account's domain by name; domains are restored before this. */
export function domainAt({ db }: Pick<Context, 'db'>, account: string, name: string): DomainRow {
  const [domain] = domainsNamed(db, account, [name])
  if (!domain) throw new Problem('not-found', `The account has no domain ${name}.`)
  refuseBeingDeleted(domain)
  return domain
}

/** Maps an address whose domain may have been renamed. */
export function addressNow(nameNow: NameNow, address: string): string {
  const at = address.lastIndexOf('@') + 1
  return `${address.slice(0, at)}${nameNow(address.slice(at))}`
}
