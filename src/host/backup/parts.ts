import { type ReadPart, readParts } from '../contract/backups.ts'
import type { SavedPart } from '../contract/commands/backups.ts'
import type { Doing } from '../contract/commands/index.ts'
import { type Compression, compress, compressions, through } from '../homes/archive/compress.ts'
import { asHostError } from '../install/user-message.ts'
import type { Packing, SavedHome } from './home.ts'
import type { ManifestEntry } from './manifest.ts'
import { writeEntry } from './write.ts'

/** Where a backup is being written, and how. */
export interface RestoreDestination {
  readonly folder: string
  readonly compression: Compression
}

export const archiveName = (part: ReadPart, compression: Compression): string =>
  `${part}.tar.${compressions[compression]}`

export const isArchive = (name: string): boolean =>
  name.startsWith('db/') || readParts.some((part) => name.startsWith(`${part}.tar.`))

/** Saves one part of a home. A failure affects this part only: the others are saved all the same. */
export async function savePart(
  home: SavedHome,
  part: ReadPart,
  target: RestoreDestination,
  options: Doing,
): Promise<{ readonly saved: SavedPart; readonly entry?: ManifestEntry }> {
  try {
    const packing = await home.pack(part, options.signal)
    return packing ? await packed(packing, part, target, options) : { saved: { part, status: 'absent' } }
  } catch (error) {
    return { saved: failedPart(part, error, options) }
  }
}

/** Reports an error as the part's own; rethrows any other. */
export function failedPart(part: SavedPart['part'], error: unknown, { signal }: Doing): SavedPart {
  signal?.throwIfAborted()
  if (isOfTarget(error)) throw error
  return { part, status: 'failed', error: asHostError('stage', error).message }
}

/** A full disk is not the part's fault. */
const isOfTarget = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')

async function packed(packing: Packing, part: ReadPart, target: RestoreDestination, { signal }: Doing) {
  const bytes = through(packing.bytes, compress(target.compression, signal))
  const written = await writeEntry(target.folder, archiveName(part, target.compression), bytes)
  const packed = packing.result()
  const saved = { part, status: 'ok' as const, files: packed.files, bytes: written.bytes }
  return {
    saved: { ...saved, ...(packed.warnings.length > 0 && { warnings: packed.warnings }) },
    entry: { ...written, content_bytes: packed.bytes, content_inodes: packed.inodes },
  }
}
