import { eq, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { MAX_ADDRESS_LENGTH } from '../../contract/email/common.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { isRewritten } from '../../shared/patterns.ts'
import type { Db } from '../../store/open.ts'
import { lowerAscii, toAscii } from '../accounts/operations/names.ts'
import { domainById, domainsNamed } from '../domains/store.ts'
import type { DomainRow } from '../domains/tables.ts'

/** An object with an address: a mailbox or a forwarder. */
export interface Addressed {
  readonly domain_id: string
  readonly local: string
}

type Table = { readonly domain_id: SQLiteColumn; readonly local: SQLiteColumn }

/** SQL for the address. */
export const addressIn = ({ domain_id, local }: Table): SQL =>
  sql`${local} || '@' || (SELECT name FROM domains WHERE domains.id = ${domain_id})`

/** The address of a row. */
export const addressOf = (db: Db, { local, domain_id }: Addressed): string =>
  `${local}@${domainById(db, domain_id)!.name}`

export interface OwnAddress {
  readonly domain: DomainRow
  readonly local: string
}

/** The account's address in lower case, or why it is invalid. */
export function ownAddress({ db }: Pick<Context, 'db'>, account: string, text: string): OwnAddress | string {
  const at = text.lastIndexOf('@')
  const name = toAscii(text.slice(at + 1))
  const [domain] = name === undefined ? [] : domainsNamed(db, account, [name])
  if (!domain) return 'must be at a domain of the account'
  const local = lowerAscii(text.slice(0, at))
  if (`${local}@${domain.name}`.length > MAX_ADDRESS_LENGTH) return `must have at most ${MAX_ADDRESS_LENGTH} characters`
  if (isRewritten(local)) return 'must not begin with SRS0= or SRS1=, which are the senders of forwarded mail'
  return { domain, local }
}

/** Limits a list to the domain in its query. */
export function atDomain({ db }: Pick<Context, 'db'>, account: string, table: Table, domain?: string): SQL | undefined {
  if (domain === undefined) return undefined
  const [found] = domainsNamed(db, account, [toAscii(domain) ?? ''])
  return found ? eq(table.domain_id, found.id) : sql`0`
}
