import type { Collation, Granted } from '../../../shared/sql/privileges.ts'

/** `gone`: its row says that it is to go. What no row names is left alone. */
interface Row {
  readonly gone: boolean
}

export interface DatabaseState extends Row {
  readonly name: string
  readonly collation: Collation
}

export interface GrantState {
  readonly database: string
  readonly privileges: Granted
}

export interface DatabaseUserState extends Row {
  readonly name: string
  /** As mysql_native_password keeps it. */
  readonly hash: string
  readonly grants: readonly GrantState[]
}

/** Where its users may connect from besides the server itself. */
export interface ClientHostState extends Row {
  readonly host: string
}

export interface DbState {
  readonly prefix: string
  readonly hosts: readonly ClientHostState[]
  readonly databases: readonly DatabaseState[]
  readonly users: readonly DatabaseUserState[]
}
