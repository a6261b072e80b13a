import { and, asc, desc, eq, inArray, ne, not, type SQL, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { Backup, listAllBackups } from '../../contract/backups.ts'
import type { Input } from '../../contract/operation.ts'
import { notFound } from '../../contract/problem.ts'
import { unfinished } from '../../runtime/jobs/queue.ts'
import { isRoot } from '../../runtime/operations/actor.ts'
import type { AccountName, Context, Writes } from '../../runtime/operations/context.ts'
import { present } from '../../runtime/operations/list.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { type JobRow, jobs } from '../../runtime/tables.ts'
import type { Db } from '../../store/open.ts'
import { page } from '../../store/page.ts'
import { insertInto, update } from '../../store/rows.ts'
import { objectsOf } from '../accounts/objects/objects.ts'
import { type BackupRow, backups } from './tables.ts'

export const backupsOf = objectsOf(backups, { noun: 'backup', name: backups.note })

const insert = insertInto(backups)
const write = update(backups, 'id = ?')

export const addBackup = ({ store }: Writes, row: BackupRow): void => void insert(store.sqlite, row)
export const setBackup = ({ store }: Writes, id: string, values: Partial<BackupRow>): void =>
  void write(store.sqlite, values, id)
export const removeBackup = ({ db }: Pick<Context, 'db'>, id: string): void =>
  void db.delete(backups).where(eq(backups.id, id)).run()

export const backupById = (db: Db, id: string): BackupRow | undefined =>
  db.select().from(backups).where(eq(backups.id, id)).get()

/** Its account as events and jobs name it, also after the account is gone. */
export const accountOf = ({ account_id: id, username, domain, owner_id }: BackupRow): AccountName => ({
  id,
  username,
  domain,
  owner_id,
})

export const laneOf = (accountId: string): string => `backup:${accountId}`

/** An unfinished job about one backup. */
export const jobAbout = (
  { store }: Pick<Runtime, 'store'>,
  backup: string,
  kinds: readonly string[],
): JobRow | undefined =>
  store.db
    .select()
    .from(jobs)
    .where(and(eq(jobs.object_id, backup), inArray(jobs.kind, [...kinds]), inArray(jobs.status, [...unfinished])))
    .get()

/** The unfinished jobs on an account's backups. */
export const activeJobs = ({ store }: Pick<Runtime, 'store'>, account: string, kinds: readonly string[]): JobRow[] =>
  store.db
    .select()
    .from(jobs)
    .where(and(eq(jobs.account_id, account), inArray(jobs.kind, [...kinds]), inArray(jobs.status, [...unfinished])))
    .all()

const newestOf = (db: Db, account: string, status: BackupRow['status']): BackupRow[] =>
  db
    .select()
    .from(backups)
    .where(and(eq(backups.account_id, account), eq(backups.status, status)))
    .orderBy(desc(backups.id))
    .all()

/** An account's complete backups, newest first. */
export const completeOf = (db: Db, account: string): BackupRow[] => newestOf(db, account, 'complete')

export const scheduledOf = (db: Db, account: string, status: BackupRow['status']): BackupRow[] =>
  newestOf(db, account, status).filter(({ kind }) => kind === 'scheduled')

/** A backup being deleted counts until it is gone; a failed one takes no space. */
export const countManual = (db: Db, account: string): number =>
  db
    .select({ total: sql<number>`count(*)` })
    .from(backups)
    .where(and(eq(backups.account_id, account), eq(backups.kind, 'manual'), ne(backups.status, 'failed')))
    .get()!.total

/** A backup of any account, even a terminated one; a reseller finds those of its own accounts. */
export function findBackup({ db, actor }: Context, id: string): BackupRow {
  const found = backupById(db, id)
  if (!found || (!isRoot(actor) && found.owner_id !== actor.id)) throw notFound('backup')
  return found
}

type BackupQuery = Input<typeof listAllBackups>['query']

export function pageOfAll({ db, actor }: Context, { account_id, status, ...query }: BackupQuery) {
  const conditions: (SQL | undefined)[] = [
    isRoot(actor) ? undefined : eq(backups.owner_id, actor.id),
    account_id === undefined ? undefined : eq(backups.account_id, account_id),
    status && withStatus(status),
  ]
  const rows = db.select().from(backups).$dynamic()
  return page(db, { rows, table: backups, id: backups.id, where: and(...conditions), name: backups.username }, query)
}

/** Complete, but for parts that warn why they are absent. */
const leavesOut = sql`EXISTS (SELECT 1 FROM json_each(${backups.parts}) WHERE value ->> '$.status' = 'absent' AND json_array_length(value, '$.warnings') > 0)`

function withStatus(status: NonNullable<BackupQuery['status']>): SQL | undefined {
  if (status === 'partial') return and(eq(backups.status, 'complete'), leavesOut)
  return and(eq(backups.status, status), status === 'complete' ? not(leavesOut) : undefined)
}

export const expired = (db: Db, now: number, limit: number): BackupRow[] =>
  db
    .select()
    .from(backups)
    .where(
      and(
        sql`${backups.expires_at} <= ${now}`,
        inArray(backups.status, ['complete', 'incomplete', 'failed', 'damaged']),
      ),
    )
    .orderBy(asc(backups.expires_at))
    .limit(limit)
    .all()

/** Row to resource (contract: Backup). */
export const toBackup = (row: BackupRow): z.infer<typeof Backup> => ({
  id: row.id,
  account_id: row.account_id,
  username: row.username,
  kind: row.kind,
  status: row.status,
  parts: [...row.parts],
  size_bytes: row.size_bytes,
  destination_id: row.destination_id,
  note: row.note,
  job_id: row.job_id,
  created_at: row.created_at,
  ...present({
    manifest_sha256: row.manifest_sha256,
    checked_at: row.checked_at,
    expires_at: row.expires_at,
    finished_at: row.finished_at,
    tried_at: row.tried_at,
    damage: row.damage,
  }),
})
