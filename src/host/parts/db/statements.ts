import type { DatabaseState } from './state.ts'

/** A user at a host. */
export interface StatementTarget {
  readonly name: string
  readonly host: string
}

/** Already validated: no name or host contains a quote, a backtick or a backslash. */
const at = ({ name, host }: StatementTarget): string => `'${name}'@'${host}'`

const plainName = /^[\w$%:./-]+$/
const plainPattern = /^[\w$%\\-]+$/

/** Whether the server's own values are safe in a statement: others than the panel may have created them. */
export const canName = (user: string, host: string, on: string): boolean =>
  plainName.test(user) && plainName.test(host) && plainPattern.test(on)

/** In a grant an unescaped underscore matches any character. */
export const grantPattern = (database: string): string => database.replaceAll('_', '\\_')

export const revoke = (privileges: readonly string[], on: string, from: StatementTarget): string =>
  `REVOKE ${privileges.join(', ')} ON \`${on}\`.* FROM ${at(from)};`

export const grant = (privileges: readonly string[], on: string, to: StatementTarget): string =>
  `GRANT ${privileges.join(', ')} ON \`${on}\`.* TO ${at(to)};`

export const dropDatabase = (name: string): string => `DROP DATABASE IF EXISTS \`${name}\`;`

export const dropUser = (user: StatementTarget): string => `DROP USER IF EXISTS ${at(user)};`

export function createDatabase({ name, collation }: DatabaseState): string {
  const charset = collation.slice(0, collation.indexOf('_'))
  return `CREATE DATABASE IF NOT EXISTS \`${name}\` CHARACTER SET ${charset} COLLATE ${collation};`
}

/** How a user logs in, and whether it may. */
export interface Access {
  readonly hash: string
  readonly locked: boolean
}

const access = ({ hash, locked }: Access): string =>
  `IDENTIFIED VIA mysql_native_password USING '${hash}' ACCOUNT ${locked ? 'LOCK' : 'UNLOCK'};`

export const createUser = (user: StatementTarget, how: Access): string =>
  `CREATE USER IF NOT EXISTS ${at(user)} ${access(how)}`

export const alterUser = (user: StatementTarget, how: Access): string => `ALTER USER ${at(user)} ${access(how)}`

/** From any host: a network as host would match no session. */
export const killUser = (name: string): string => `KILL CONNECTION USER '${name}';`
