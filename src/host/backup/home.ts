import type { AccountName } from '../contract/account.ts'
import type { ReadPart } from '../contract/backups.ts'
import type { Renamed } from '../contract/commands/backups.ts'
import type { DumpSource } from '../contract/commands/dumps.ts'
import type { DumpReading, ReadDump } from '../dumps/read.ts'
import type { Size } from '../measure/walk.ts'
import type { Bytes } from './write.ts'

/** A part of a home being archived. */
export interface Packing {
  readonly bytes: Bytes
  /** The result, once the last byte was read. */
  result(): Packed
}

export interface Packed {
  readonly files: number
  /** Files, directories and links. */
  readonly inodes: number
  /** Of files, as stored on disk. */
  readonly bytes: number
  readonly warnings: readonly string[]
}

/** What to unpack from an archive into a home, where, and what to replace; paths in base64. */
export interface Staging {
  /** The staging directory in the home. */
  readonly name: string
  readonly part: ReadPart
  readonly paths?: readonly string[] | undefined
  readonly to?: string | undefined
  readonly domain?: Renamed | undefined
  /** How many files and directories to unpack at most. */
  readonly inodes?: number | undefined
}

/** A rename from the staging directory to the home; paths in base64. */
export interface HomeMove {
  readonly from: string
  readonly to: string
}

/** What counts to a quota. */
export type UsedSpace = Pick<Size, 'bytes' | 'inodes'>

/** Quotas of homes by the file system. */
export interface HomeQuota {
  /** Raises an account's quota by as much, at most doubling it, until the work is done. */
  raised<T>(account: AccountName, by: UsedSpace, work: () => Promise<T>): Promise<T>
}

/** A part to swap in: paths in the home to move out, and those to move in. */
export interface Swap {
  readonly out: readonly string[]
  readonly moves: readonly HomeMove[]
  /** Paths moved out with the rest and then back in place. */
  readonly back?: readonly string[]
}

/** A dump in a home, and how to read it. */
export interface DumpRequest extends DumpReading {
  readonly source: DumpSource
}

/** A home as backups need it. Operations run with the privileges that the host grants for them. */
export interface SavedHome {
  /** Undefined if the home has no such part. */
  pack(part: ReadPart, signal?: AbortSignal): Promise<Packing | undefined>
  /** Reads a dump that lies in it, as an import runs it. */
  dump(request: DumpRequest, signal?: AbortSignal): Promise<ReadDump>
  /** What this staging will replace. */
  replaced(staging: Staging, signal?: AbortSignal): Promise<UsedSpace>
  /** Unpacks a tar archive into a staging directory; a failure leaves nothing. */
  stage(staging: Staging, bytes: Bytes, signal?: AbortSignal): Promise<Swap>
  /** Resumable: what is no longer staged has already been moved into place. */
  swap(name: string, swap: Swap): Promise<void>
  /** Removes one of our own directories. */
  clear(name: string): Promise<void>
}
