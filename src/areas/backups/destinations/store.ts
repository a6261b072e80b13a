import { and, count, eq, isNull, ne, or, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { BackupDestination } from '../../../contract/backup-destinations.ts'
import { invalid, notFound } from '../../../contract/problem.ts'
import { isRoot } from '../../../runtime/operations/actor.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { present } from '../../../runtime/operations/list.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { Db } from '../../../store/open.ts'
import { update } from '../../../store/rows.ts'
import { accounts } from '../../accounts/tables.ts'
import { backups, type DestinationRow, destinations, schedules } from '../tables.ts'

/** Creates the default destination, below the data directory. */
export async function makeLocalDestination({ store, clock, id }: Runtime): Promise<void> {
  if (store.db.select().from(destinations).limit(1).get()) return
  const now = clock.now()
  const local = { name: 'local', type: 'local', is_default: true, path: null, settings: {}, keys: null } as const
  await store.change(() => {
    store.db
      .insert(destinations)
      .values({ id: id(), ...local, created_at: now, updated_at: now })
      .run()
  })
}

const write = update(destinations, 'id = ?')

export const allDestinations = (db: Db): DestinationRow[] =>
  db.select().from(destinations).orderBy(destinations.id).all()

export const destinationById = (db: Db, id: string): DestinationRow | undefined =>
  db.select().from(destinations).where(eq(destinations.id, id)).get()

export const defaultDestination = (db: Db): DestinationRow =>
  db.select().from(destinations).where(eq(destinations.is_default, true)).get()!

export function findDestination({ db }: Pick<Context, 'db'>, id: string): DestinationRow {
  const found = destinationById(db, id)
  if (!found) throw notFound('backup destination')
  return found
}

/** Whether another destination has the name. */
export const isNameTaken = (db: Db, name: string, self = ''): boolean =>
  db
    .select({ id: destinations.id })
    .from(destinations)
    .where(and(eq(destinations.name, name), ne(destinations.id, self)))
    .get() !== undefined

/** Makes it the default instead of the former one: there is exactly one. */
export function makeDefault({ db, store }: Pick<Context, 'db' | 'store'>, id: string): void {
  write(store.sqlite, { is_default: false }, defaultDestination(db).id)
  write(store.sqlite, { is_default: true }, id)
}

export const setDestination = ({ store }: Pick<Context, 'store'>, id: string, values: Partial<DestinationRow>): void =>
  void write(store.sqlite, values, id)

/** How many backups are there, and how many schedules use it. */
export const usesOf = (db: Db, id: string) => ({
  backups: db.select({ total: count() }).from(backups).where(eq(backups.destination_id, id)).get()!.total,
  schedules: db.select({ total: count() }).from(schedules).where(eq(schedules.destination_id, id)).get()!.total,
})

/** The nodes of accounts that use it: by their schedule, as the default, or because they have backups there. */
export function nodesUsing(db: Db, { id, is_default }: DestinationRow): ReadonlySet<string> {
  const hasBackups = sql`EXISTS (SELECT 1 FROM ${backups} WHERE ${backups.account_id} = ${accounts.id}
    AND ${backups.destination_id} = ${id})`
  const rows = db
    .selectDistinct({ node: accounts.node })
    .from(accounts)
    .leftJoin(schedules, eq(schedules.account_id, accounts.id))
    .where(or(eq(schedules.destination_id, id), is_default ? isNull(schedules.destination_id) : undefined, hasBackups))
    .all()
  return new Set(rows.map(({ node }) => node))
}

/** The destination that a body names; only root may name one. */
export function namedDestination({ db, actor }: Context, id: string | null | undefined): DestinationRow | undefined {
  if (id === undefined || id === null) return undefined
  if (!isRoot(actor)) throw invalid('destination_id', 'can be chosen by root only')
  const found = destinationById(db, id)
  if (!found) throw invalid('destination_id', 'is not a backup destination of this server')
  return found
}

/** Row to resource (contract: BackupDestination). */
export const toDestination = (row: DestinationRow): z.input<typeof BackupDestination> => ({
  id: row.id,
  name: row.name,
  type: row.type,
  default: row.is_default,
  ...present({ path: row.path }),
  ...row.settings,
  created_at: row.created_at,
  updated_at: row.updated_at,
})
