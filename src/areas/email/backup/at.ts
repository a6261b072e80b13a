import { Problem } from '../../../contract/problem.ts'
import type { Context } from '../../../runtime/context.ts'
import { refuseBeingDeleted } from '../../domains/busy.ts'
import { domainsNamed } from '../../domains/store.ts'
import type { DomainRow } from '../../domains/tables.ts'

/** What a name in a backup is called now. */
export type NameNow = (name: string) => string

/** The account's domain of a name; it came back before what is at it. */
export function domainAt({ db }: Pick<Context, 'db'>, account: string, name: string): DomainRow {
  const [domain] = domainsNamed(db, account, [name])
  if (!domain) throw new Problem('not-found', `The account has no domain ${name}.`)
  refuseBeingDeleted(domain)
  return domain
}

/** An address whose domain may have another name by now. */
export function addressNow(nameNow: NameNow, address: string): string {
  const at = address.lastIndexOf('@') + 1
  return `${address.slice(0, at)}${nameNow(address.slice(at))}`
}
