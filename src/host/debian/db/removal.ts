import type { Belongings } from '../../contract/account.ts'
import type { ActualDb } from '../../parts/db/actual.ts'
import { canName, dropDatabase, dropUser, grantPattern, killUser, revoke } from '../../parts/db/statements.ts'

/** Statements that drop these from a server. A dropped user's sessions would go on, so they are killed first. */
export function removal({ databases, databaseUsers }: Belongings, actual: ActualDb): string[] {
  const gone = actual.databases.filter((name) => databases.includes(name))
  const patterns = gone.map(grantPattern)
  const users = actual.users.filter(({ name, host }) => databaseUsers.includes(name) && canName(name, host, 'x'))
  const grants = actual.grants.filter(
    ({ user, host, on }) => patterns.includes(on) && !databaseUsers.includes(user) && canName(user, host, on),
  )
  return [
    ...new Set(users.map(({ name }) => killUser(name))),
    ...grants.map(({ user: name, host, on, privileges }) => revoke(privileges, on, { name, host })),
    ...users.map(dropUser),
    ...gone.map(dropDatabase),
  ]
}
