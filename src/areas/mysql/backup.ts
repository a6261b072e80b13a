import type { Context } from '../../runtime/operations/context.ts'
import type { BackupPart, DatabasesPart, RestoredFrom } from '../accounts/objects/part.ts'
import { restoreWith } from '../accounts/operations/restore-with.ts'
import type { FullAccount } from '../accounts/store.ts'
import { restoreDatabases, type SavedDatabase } from './backup/databases.ts'
import { restoreHosts } from './backup/hosts.ts'
import { restoreUsers, type SavedUser } from './backup/users.ts'
import { purpose } from './password.ts'
import { databaseNamed, databasesFor, databasesOf, hostsOf, usersOf } from './store.ts'

interface DatabaseBackup {
  readonly prefix: string
  readonly databases: readonly SavedDatabase[]
  readonly users: readonly SavedUser[]
  readonly hosts: readonly string[]
}

const stays = ({ status }: { readonly status: string }): boolean => status !== 'deleting'

/** Maps a name in a backup to its current one. */
const nowIn =
  ({ db_prefix }: Pick<FullAccount, 'db_prefix'>, formerPrefix: string) =>
  (name: string): string =>
    `${db_prefix}${name.slice(formerPrefix.length)}`

/** Keeps newer objects, recreates missing ones, and resets the rest. Names get the account's prefix. */
function restore(ctx: Context, account: FullAccount, { data, secrets }: RestoredFrom): readonly string[] {
  const { prefix, databases, users, hosts } = data as DatabaseBackup
  const nameNow = nowIn(account, prefix)
  restoreDatabases(
    ctx,
    account.id,
    databases.map((one) => ({ ...one, name: nameNow(one.name) })),
  )
  const renamed = users.map((one) => ({
    ...one,
    name: nameNow(one.name),
    grants: one.grants.map((grant) => ({ ...grant, database: nameNow(grant.database) })),
  }))
  return [...restoreUsers(ctx, account.id, renamed, secrets), ...restoreHosts(ctx, account.id, hosts)]
}

export const backup: BackupPart = {
  part: 'config',
  feature: 'mysql',
  save: ({ store: { db }, unseal }, { id, db_prefix }, { seal }) => ({
    data: {
      prefix: db_prefix,
      databases: databasesOf
        .all(db, id)
        .filter(stays)
        .map(({ name, collation }) => ({ name, collation })),
      users: usersOf
        .all(db, id)
        .filter(stays)
        .map((row) => ({
          name: row.name,
          hash: seal(unseal(purpose, row.password_hash)),
          hash_at: row.password_changed_at,
          grants: databasesFor(db, row.id).map(({ name: database, privileges }) => ({ database, privileges })),
        })),
      hosts: hostsOf
        .all(db, id)
        .filter(stays)
        .map(({ host }) => host),
    } satisfies DatabaseBackup,
  }),
  restore,
}

/** Recreates missing databases if the account may have them; users' grants belong to another part. */
export const contents: DatabasesPart = {
  saved: (db, { id, db_prefix: prefix }) => ({
    prefix,
    databases: databasesOf
      .all(db, id)
      .filter(({ status }) => status === 'active')
      .map(({ name, collation }) => ({ name, collation })),
  }),
  restore(ctx, account, { prefix: formerPrefix, databases: saved }, only) {
    const nameNow = nowIn(account, formerPrefix)
    const requested = saved
      .filter(({ name }) => only?.includes(name) ?? true)
      .map(({ name, collation }) => ({ from: name, to: nameNow(name), collation }))
    const gone = requested.filter(({ to }) => !databaseNamed(ctx.db, to))
    const left = gone.flatMap(({ to: what }) => restoreWith(ctx, account.id, { what, feature: 'mysql' }, () => []))
    const databases = left.length > 0 ? requested.filter((one) => !gone.includes(one)) : requested
    restoreDatabases(
      ctx,
      account.id,
      databases.map(({ to: name, collation }) => ({ name, collation })),
    )
    return { databases, prefix: account.db_prefix, formerPrefix, left }
  },
}
