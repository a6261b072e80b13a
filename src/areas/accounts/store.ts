import { eq, getTableColumns, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { AccountName, Context } from '../../runtime/operations/context.ts'
import type { Db } from '../../store/open.ts'
import { prepared } from '../../store/prepared.ts'
import { update } from '../../store/rows.ts'
import { ips } from '../ips/tables.ts'
import { packages } from '../packages/tables.ts'
import { type AccountRow, accounts } from './tables.ts'

const owners = alias(accounts, 'owners')
const ips6 = alias(ips, 'ips6')

/** An account with the names of related objects. */
export interface FullAccount extends AccountRow {
  readonly package_name: string
  readonly feature_list_id: string
  readonly ip_address: string
  readonly ip6_address: string | null
  readonly owner_username: string | null
  readonly reseller: string | null
}

const selection = {
  ...getTableColumns(accounts),
  package_name: packages.name,
  feature_list_id: packages.feature_list_id,
  ip_address: ips.address,
  ip6_address: ips6.address,
  owner_username: owners.username,
  // By SQL alone: accounts must not import the areas that extend it.
  reseller: sql<string | null>`(SELECT account_id FROM resellers WHERE resellers.account_id = ${accounts.id})`,
}

const joined = (db: Db) =>
  db
    .select(selection)
    .from(accounts)
    .innerJoin(packages, eq(packages.id, accounts.package_id))
    .innerJoin(ips, eq(ips.id, accounts.ip_id))
    .leftJoin(ips6, eq(ips6.id, accounts.ip6_id))
    .leftJoin(owners, eq(owners.id, accounts.owner_id))

/** Updates columns of an account. */
export const writeAccount = update(accounts, 'id = ?')

const queries = prepared((db) => ({
  byId: joined(db)
    .where(eq(accounts.id, sql.placeholder('id')))
    .prepare(),
}))

/** The account with all its columns, for any caller. */
export const accountById = (db: Db, id: string): FullAccount | undefined => queries(db).byId.get({ id })

/** The whole account of an operation's path. */
export const fullAccount = ({ db, found }: Context & { readonly found: { account: { id: string } } }): FullAccount =>
  accountById(db, found.account.id)!

/** The account's addresses, the IPv4 one first. */
export const addressesOfAccount = ({ ip_address, ip6_address }: FullAccount): string[] =>
  ip6_address === null ? [ip_address] : [ip_address, ip6_address]

export const nameOf = (account: AccountRow): AccountName => ({
  id: account.id,
  username: account.username,
  domain: account.main_domain,
  owner_id: account.owner_id,
})
