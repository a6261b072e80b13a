import { eq, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { Forwarder } from '../../../contract/email.ts'
import type { Context, Writes } from '../../../runtime/operations/context.ts'
import type { Db } from '../../../store/open.ts'
import { prepared } from '../../../store/prepared.ts'
import { insertInto, update } from '../../../store/rows.ts'
import { objectsOf } from '../../accounts/objects/objects.ts'
import { domainById } from '../../domains/store.ts'
import { type Addressed, addressIn } from '../address.ts'
import { bare } from '../routes.ts'
import { type ForwarderRow, forwarders } from '../tables.ts'

export const forwardersOf = objectsOf(forwarders, { noun: 'forwarder', name: addressIn(forwarders) })

const insert = insertInto(forwarders)
const write = update(forwarders, 'id = ?')

export const addForwarder = ({ store }: Writes, row: ForwarderRow): void => void insert(store.sqlite, row)
export const setForwarder = ({ store }: Writes, id: string, values: Partial<ForwarderRow>): void =>
  void write(store.sqlite, values, id)

const queries = prepared((db: Db) => ({
  byId: db
    .select()
    .from(forwarders)
    .where(eq(forwarders.id, sql.placeholder('id')))
    .prepare(),
  at: db
    .select()
    .from(forwarders)
    .where(
      sql`${forwarders.domain_id} = ${sql.placeholder('domain_id')} AND ${forwarders.local} = ${sql.placeholder('local')}`,
    )
    .prepare(),
}))

export const forwarderById = (db: Db, id: string): ForwarderRow | undefined => queries(db).byId.get({ id })
export const forwarderAt = (db: Db, { domain_id, local }: Addressed): ForwarderRow | undefined =>
  queries(db).at.get({ domain_id, local })

/** The account's forwarders that name an address. */
export const leadingTo = (db: Db, account: string, address: string): ForwarderRow[] =>
  forwardersOf
    .all(db, account)
    .filter(({ destinations, status }) => status !== 'deleting' && destinations.some((one) => bare(one) === address))

/** Row to resource (contract: Forwarder). */
export function toForwarder({ db }: Pick<Context, 'db'>, row: ForwarderRow): z.infer<typeof Forwarder> {
  const domain = domainById(db, row.domain_id)!.name
  return {
    id: row.id,
    address: `${row.local}@${domain}`,
    domain,
    destinations: [...row.destinations],
    keep_copy: row.keep_copy,
    status: row.status,
    created_at: row.created_at,
  }
}
