import { Readable } from 'node:stream'
import type { BackupOptions, PartRestore } from '../contract/backups.ts'
import { HostError } from '../contract/error.ts'
import { decompress, through } from '../homes/archive/compress.ts'
import type { FailPoint } from '../install/engine.ts'
import { readManifest } from './check.ts'
import type { SavedHome, Swap } from './home.ts'
import { RestoreJournal } from './journal.ts'
import { archiveName } from './parts.ts'
import { type Roots, readerAt } from './readers.ts'

export interface Restoring extends Roots {
  readonly onFailPoint?: FailPoint | undefined
}

/** Restores one part: unpacked into staging, then swapped in. All or nothing. */
export async function restorePart(
  where: Restoring,
  home: SavedHome,
  request: PartRestore,
  options: BackupOptions,
): Promise<void> {
  const journal = new RestoreJournal(where.host, request.account.id, request.restore)
  const name = `restore-${request.place.backup}`
  if (journal.of(request.part) === undefined) {
    const swap = await stage(where, home, name, request, options)
    await where.onFailPoint?.('restore-unpacked')
    options.signal?.throwIfAborted()
    journal.write(request.part, swap)
  }
  const state = journal.of(request.part)
  if (state !== 'done') {
    await home.swap(name, state as Swap)
    journal.write(request.part, 'done')
  }
  await where.onFailPoint?.('restore-done')
  await home.clear(name)
}

async function stage(
  where: Restoring,
  home: SavedHome,
  name: string,
  { place, manifestSha256, part, paths, to, domain }: PartRestore,
  { signal }: BackupOptions,
): Promise<Swap> {
  const reader = await readerAt(where, place, signal)
  const manifest = await readManifest(reader, manifestSha256)
  if (typeof manifest === 'string') throw new HostError('stage', `The backup is damaged: ${manifest}`)
  const archive = Readable.from(reader.read(archiveName(part, manifest.compression)))
  try {
    const bytes = through(archive, decompress(manifest.compression, signal))
    return await home.stage({ name, part, paths, to, domain }, bytes, signal)
  } finally {
    archive.destroy()
  }
}
