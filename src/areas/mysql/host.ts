import type { HostParts } from '../../host/contract/driver.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { Db } from '../../store/open.ts'
import type { FullAccount } from '../accounts/store.ts'
import { purpose } from './password.ts'
import { databasesFor, databasesOf, hostsOf, usersOf } from './store.ts'
import type { UserRow } from './tables.ts'

type DbState = HostParts['db']

const isGone = ({ status }: Pick<UserRow, 'status'>): boolean => status === 'deleting'

function userState(db: Db, user: UserRow, { unseal }: Pick<Runtime, 'unseal'>): DbState['users'][number] {
  const grants = databasesFor(db, user.id).map(({ name, privileges }) => ({ database: name, privileges }))
  return { name: user.name, hash: unseal(purpose, user.password_hash), gone: isGone(user), grants }
}

/** The account's databases for the host's desired state. */
export const mysqlHost = (
  db: Db,
  { id, db_prefix }: Pick<FullAccount, 'id' | 'db_prefix'>,
  runtime: Pick<Runtime, 'unseal'>,
): DbState => ({
  prefix: db_prefix,
  hosts: hostsOf.all(db, id).map((row) => ({ host: row.host, gone: isGone(row) })),
  databases: databasesOf.all(db, id).map((row) => ({ name: row.name, collation: row.collation, gone: isGone(row) })),
  users: usersOf.all(db, id).map((row) => userState(db, row, runtime)),
})
