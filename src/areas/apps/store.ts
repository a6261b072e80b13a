import { and, eq, inArray, isNotNull, isNull, sql } from 'drizzle-orm'
import type { AppStatus } from '../../host/contract/driver.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Db, Store } from '../../store/open.ts'
import { prepared } from '../../store/prepared.ts'
import { insertInto, update } from '../../store/rows.ts'
import { objectsOf } from '../accounts/objects/objects.ts'
import { accounts } from '../accounts/tables.ts'
import { programKinds } from './kinds.ts'
import { type AppRow, apps } from './tables.ts'

export const appsOf = objectsOf(apps, { noun: 'app', name: apps.name })

const insert = insertInto(apps)
const write = update(apps, 'id = ?')

type WriteStore = { readonly store: Store }

export const addApp = ({ store }: WriteStore, row: AppRow): void => void insert(store.sqlite, row)

export const setApp = ({ store }: WriteStore, id: string, values: Partial<AppRow>): void =>
  void write(store.sqlite, values, id)

/** Stores the process's status as the host reports it. */
export function observe({ store }: WriteStore, app: AppRow, { status, reason }: AppStatus, now: number): void {
  const crashed_at = app.observed === 'crashed' ? app.crashed_at : now
  setApp({ store }, app.id, {
    observed: status,
    status_reason: reason ?? null,
    crashed_at: status === 'crashed' ? crashed_at : null,
  })
}

export const removeApp = ({ db }: Pick<Context, 'db'>, id: string): void =>
  void db.delete(apps).where(eq(apps.id, id)).run()

const queries = prepared((db: Db) => ({
  byId: db
    .select()
    .from(apps)
    .where(eq(apps.id, sql.placeholder('id')))
    .prepare(),
  running: db
    .select({ one: sql`1` })
    .from(apps)
    .innerJoin(accounts, eq(accounts.id, apps.account_id))
    .where(
      and(
        eq(apps.running, true),
        inArray(apps.kind, [...programKinds]),
        isNotNull(apps.current_release_id),
        isNull(accounts.suspended_at),
        eq(accounts.terminating, false),
      ),
    )
    .prepare(),
}))

export const appById = (db: Db, id: string): AppRow | undefined => queries(db).byId.get({ id })

/** Those of these apps, by id, that run a process. One query, however many ids there are. */
export const programsAmong = (db: Db, ids: readonly string[]): AppRow[] =>
  db
    .select()
    .from(apps)
    .where(
      and(
        sql`${apps.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
        inArray(apps.kind, [...programKinds]),
      ),
    )
    .all()

export const appNamed = (db: Db, account: string, name: string): AppRow | undefined =>
  db
    .select()
    .from(apps)
    .where(and(eq(apps.account_id, account), eq(apps.name, name)))
    .get()

/** Whether any app's live release listens on the port. */
export const isPortUsed = (db: Db, port: number): boolean =>
  db.select({ one: sql`1` }).from(apps).where(eq(apps.port, port)).limit(1).get() !== undefined

/** The account's app with this id, unless it is being deleted. */
export function activeApp(db: Db, account: string, id: string): AppRow | undefined {
  const app = appById(db, id)
  return app?.account_id === account && app.status !== 'deleting' ? app : undefined
}

/** Whether any app should be running. */
export const anyRuns = (db: Db): boolean => queries(db).running.get() !== undefined
