import type { ReadPart, Renamed } from '../backups.ts'
import type { Bytes } from './write.ts'

/** A part of a home on its way into an archive. */
export interface Packing {
  readonly bytes: Bytes
  /** What was read, once the last byte was. */
  told(): Packed
}

export interface Packed {
  readonly files: number
  /** Of files, as they are on the disk. */
  readonly bytes: number
  readonly warnings: readonly string[]
}

/** What of an archive is unpacked in a home, where, and where it is to take its place; paths in base64. */
export interface Staging {
  /** The directory in the home that it is unpacked in. */
  readonly name: string
  readonly part: ReadPart
  readonly paths?: readonly string[] | undefined
  readonly to?: string | undefined
  readonly domain?: Renamed | undefined
}

/** Something that takes its place: from below the staged directory to below the home; paths in base64. */
export interface Move {
  readonly from: string
  readonly to: string
}

/** A part that takes its place: what goes out of the way by its name in the home, and what comes in. */
export interface Swap {
  readonly out: readonly string[]
  readonly moves: readonly Move[]
  /** What goes out with the rest and then back to where it was. */
  readonly back?: readonly string[]
}

/** A home as backups need it. What is done in it is done with the rights that its host gives for that. */
export interface SavedHome {
  /** Nothing where the home has no such part. */
  pack(part: ReadPart, signal?: AbortSignal): Promise<Packing | undefined>
  /** Unpacks a tar archive apart from what is there; one that fails leaves nothing. */
  stage(staging: Staging, bytes: Bytes, signal?: AbortSignal): Promise<Swap>
  /** Goes on from where it was stopped: what is not staged any more has taken its place. */
  swap(name: string, swap: Swap): Promise<void>
  /** Takes a directory of ours away. */
  clear(name: string): Promise<void>
}
