import type { Collation, Granted } from '../../../shared/sql/privileges.ts'

/** `gone`: its row says to remove it. What has no row is left alone. */
interface NamedRow {
  readonly gone: boolean
}

export interface DatabaseState extends NamedRow {
  readonly name: string
  readonly collation: Collation
}

export interface GrantState {
  readonly database: string
  readonly privileges: Granted
}

export interface DatabaseUserState extends NamedRow {
  readonly name: string
  /** In mysql_native_password's format. */
  readonly hash: string
  readonly grants: readonly GrantState[]
}

/** A host that its users may connect from, besides the server itself. */
export interface ClientHostState extends NamedRow {
  readonly host: string
}

export interface DbState {
  readonly prefix: string
  readonly hosts: readonly ClientHostState[]
  readonly databases: readonly DatabaseState[]
  readonly users: readonly DatabaseUserState[]
}
