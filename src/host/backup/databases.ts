import type { Collation } from '../../shared/sql/privileges.ts'
import type { AccountName } from '../contract/account.ts'
import type { Collations } from '../dumps/collations.ts'
import type { Definer } from './definer.ts'
import type { Bytes } from './write.ts'

/** A database being dumped into a backup. */
export interface Dump {
  readonly bytes: Bytes
  /** The result, once the last byte was read. */
  result(): Dumped
}

export interface Dumped {
  /** The size of the statements, uncompressed. */
  readonly bytes: number
  readonly warnings: readonly string[]
  readonly definers: readonly Definer[]
}

/** A database to recreate, and its source. */
export interface Filling {
  readonly name: string
  /** Its name in the statements. */
  readonly from: string
  readonly collation: Collation
  /** The statements, from the start. */
  readonly bytes: () => Bytes
  readonly definers: readonly Definer[]
  /** The owner; the process that reads the statements runs as it, too. */
  readonly account: AccountName
  readonly prefix: string
  readonly formerPrefix: string
  readonly signal?: AbortSignal | undefined
  /** Added to what is there, which is otherwise replaced. */
  readonly merges?: true | undefined
  /** Statements of others, made ready for the import; they may name no other database. */
  readonly isPrepared?: true | undefined
}

/** A database server, as backups need it. */
export interface SavedDatabases {
  isThere(): boolean
  /** `forOthers`: with nothing that only this server knows, and with a line that says that it is complete. */
  dump(name: string, signal?: AbortSignal, options?: { readonly forOthers?: true }): Dump
  /** Loads the statements into a database that is dropped afterwards. The account need not have it. `before`: what is there. */
  load(filling: Filling, bytes: number, before?: Filling): Promise<void>
  /** Refuses statements that fail, or that there is no space for; touches no existing database. */
  tryOut(filling: Filling, bytes: number, before?: Filling): Promise<void>
  /** Recreates a database, and returns what users must know. */
  fill(filling: Filling): Promise<string[]>
  /** How many bytes of statements there is room for. */
  room(): Promise<number>
  /** Which collations it has besides the usual ones. */
  collations(): Promise<Collations>
}
