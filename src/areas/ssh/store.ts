import { and, asc, count, eq, inArray, sql } from 'drizzle-orm'
import type { z } from 'zod'
import { notFound } from '../../contract/problem.ts'
import type { SshKey } from '../../contract/ssh.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Db } from '../../store/open.ts'
import { prepared } from '../../store/prepared.ts'
import { insertInto } from '../../store/rows.ts'
import { type SshKeyRow, sshAccess, sshKeys } from './tables.ts'

const insertKey = insertInto(sshKeys)
const insertAccess = insertInto(sshAccess, 'ON CONFLICT (account_id) DO UPDATE SET enabled = excluded.enabled')

export const addKey = ({ store }: Context, row: SshKeyRow): void => void insertKey(store.sqlite, row)

export const removeKey = ({ db }: Context, id: string): void => void db.delete(sshKeys).where(eq(sshKeys.id, id)).run()

const queries = prepared((db: Db) => ({
  keys: db
    .select()
    .from(sshKeys)
    .where(eq(sshKeys.account_id, sql.placeholder('account')))
    .orderBy(asc(sshKeys.id))
    .prepare(),
  access: db
    .select()
    .from(sshAccess)
    .where(eq(sshAccess.account_id, sql.placeholder('account')))
    .prepare(),
}))

/** An account's keys, in order of creation. */
export const keysOf = (db: Db, account: string): SshKeyRow[] => queries(db).keys.all({ account })

export const countKeys = (db: Db, account: string): number =>
  db.select({ total: count() }).from(sshKeys).where(eq(sshKeys.account_id, account)).get()!.total

/** The account's key with this blob. */
export const keyWith = (db: Db, account: string, blob: string): SshKeyRow | undefined =>
  db
    .select()
    .from(sshKeys)
    .where(and(eq(sshKeys.account_id, account), eq(sshKeys.blob, blob)))
    .get()

/** The key, or 404 `not-found` if the account has none with this id. */
export function findKey({ db }: Context, account: string, id: string): SshKeyRow {
  const found = db
    .select()
    .from(sshKeys)
    .where(and(eq(sshKeys.account_id, account), eq(sshKeys.id, id)))
    .get()
  if (!found) throw notFound('SSH key')
  return found
}

export const isEnabled = (db: Db, account: string): boolean => queries(db).access.get({ account })?.enabled ?? false

export const setEnabled = ({ store }: Context, account_id: string, enabled: boolean): void =>
  void insertAccess(store.sqlite, { account_id, enabled })

export function markApplied({ db }: Pick<Context, 'db'>, ids: readonly string[]): void {
  if (ids.length > 0)
    db.update(sshKeys)
      .set({ applied: true })
      .where(inArray(sshKeys.id, [...ids]))
      .run()
}

/** Removes keys that never reached the host. */
export const removeUnapplied = ({ db }: Context, account: string): void =>
  void db
    .delete(sshKeys)
    .where(and(eq(sshKeys.account_id, account), eq(sshKeys.applied, false)))
    .run()

/** Row to resource (contract: SshKey). */
export const toKey = (row: SshKeyRow): z.infer<typeof SshKey> => ({
  id: row.id,
  name: row.name,
  type: row.type,
  fingerprint: row.fingerprint,
  comment: row.comment,
  created_at: row.created_at,
})
