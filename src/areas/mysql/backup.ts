import type { Context } from '../../runtime/context.ts'
import type { BackupPart, RestoredFrom } from '../accounts/part.ts'
import type { FullAccount } from '../accounts/store.ts'
import { restoreDatabases, type SavedDatabase } from './backup/databases.ts'
import { restoreHosts } from './backup/hosts.ts'
import { restoreUsers, type SavedUser } from './backup/users.ts'
import { purpose } from './password.ts'
import { databasesFor, databasesOf, hostsOf, usersOf } from './store.ts'

interface Data {
  readonly prefix: string
  readonly databases: readonly SavedDatabase[]
  readonly users: readonly SavedUser[]
  readonly hosts: readonly string[]
}

const stays = ({ status }: { readonly status: string }): boolean => status !== 'deleting'

/** What came since stays; what is gone comes back, and the rest is as it was. Names have the prefix of the account. */
function restore(ctx: Context, account: FullAccount, { data, secrets }: RestoredFrom): readonly string[] {
  const { prefix, databases, users, hosts } = data as Data
  const nameNow = (name: string): string => `${account.db_prefix}${name.slice(prefix.length)}`
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
    } satisfies Data,
  }),
  restore,
}
