import { endOfArchive, headerOf, padding } from '../homes/archive/tar.ts'
import type { ManifestEntry } from './manifest.ts'
import type { BackupReader } from './reader.ts'

/** A segment of a download: literal bytes, or a file of the backup. */
export type Piece = Buffer | Pick<ManifestEntry, 'name' | 'bytes'>

const lengthOf = (piece: Piece): number => (Buffer.isBuffer(piece) ? piece.length : piece.bytes)

export const sizeOf = (pieces: readonly Piece[]): number => pieces.reduce((sum, piece) => sum + lengthOf(piece), 0)

/** Deterministic: a tar of files under their names in the backup. */
export function tarOf(entries: readonly Pick<ManifestEntry, 'name' | 'bytes'>[], at: number): Piece[] {
  const files = entries.flatMap((entry): Piece[] => {
    const about = { path: Buffer.from(entry.name), type: 'file', mode: 0o600, mtime: Math.trunc(at / 1000) } as const
    return [headerOf({ ...about, size: entry.bytes }), entry, Buffer.alloc(padding(entry.bytes))]
  })
  return [...files, endOfArchive()]
}

/** `length` bytes of them, starting at an offset. */
export async function* bytesIn(
  pieces: readonly Piece[],
  reader: BackupReader,
  { start, length }: { readonly start: number; readonly length: number },
): AsyncGenerator<Buffer> {
  let passed = 0
  for (const piece of pieces) {
    const from = Math.max(0, start - passed)
    const to = Math.min(lengthOf(piece), start + length - passed)
    passed += lengthOf(piece)
    if (to <= from) continue
    if (Buffer.isBuffer(piece)) yield piece.subarray(from, to)
    else yield* reader.read(piece.name, { start: from, length: to - from })
  }
}
