import type { Collation } from '../../shared/sql/privileges.ts'
import type { AccountName } from '../account.ts'
import type { Definer } from './definer.ts'
import type { Bytes } from './write.ts'

/** A database on its way into a backup. */
export interface Dump {
  readonly bytes: Bytes
  /** What was read, once the last byte was. */
  told(): Dumped
}

export interface Dumped {
  /** As statements, before they are compressed. */
  readonly bytes: number
  readonly warnings: readonly string[]
  readonly definers: readonly Definer[]
}

/** A database that is made anew, and what it is made of. */
export interface Filling {
  readonly name: string
  /** What it is called in the statements. */
  readonly from: string
  readonly collation: Collation
  /** The statements, from their beginning. */
  readonly bytes: () => Bytes
  readonly definers: readonly Definer[]
  /** Whose it is: the process that reads the statements is its too. */
  readonly account: AccountName
  readonly prefix: string
  readonly formerPrefix: string
  readonly signal?: AbortSignal | undefined
}

/** A database server, as backups need it. */
export interface SavedDatabases {
  isThere(): boolean
  dump(name: string, signal?: AbortSignal): Dump
  /** Refuses statements that a database cannot be made of, or that there is no room for; touches nothing that is there. */
  tryOut(filling: Filling, bytes: number): Promise<void>
  /** Makes a database anew, and answers what people have to know. */
  fill(filling: Filling): Promise<string[]>
}
