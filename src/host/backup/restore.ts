import { Readable } from 'node:stream'
import { decompress, through } from '../archive/compress.ts'
import type { BackupOptions, PartRestore } from '../backups.ts'
import { HostError } from '../error.ts'
import type { Faults } from '../install/engine.ts'
import { readManifest } from './check.ts'
import type { SavedHome, Swap } from './home.ts'
import { RestoreJournal } from './journal.ts'
import { archiveName } from './parts.ts'
import { type Roots, shelfAt } from './shelves.ts'

export interface Restoring extends Roots {
  readonly faults?: Faults | undefined
}

/** Restores one part: unpacked into staging, then swapped in. All or nothing. */
export async function restorePart(
  where: Restoring,
  home: SavedHome,
  wanted: PartRestore,
  options: BackupOptions,
): Promise<void> {
  const journal = new RestoreJournal(where.host, wanted.account.id, wanted.restore)
  const name = `restore-${wanted.place.backup}`
  if (journal.of(wanted.part) === undefined) {
    const swap = await stage(where, home, name, wanted, options)
    await where.faults?.('restore-unpacked')
    options.signal?.throwIfAborted()
    journal.write(wanted.part, swap)
  }
  const state = journal.of(wanted.part)
  if (state !== 'done') {
    await home.swap(name, state as Swap)
    journal.write(wanted.part, 'done')
  }
  await where.faults?.('restore-done')
  await home.clear(name)
}

async function stage(
  where: Restoring,
  home: SavedHome,
  name: string,
  { place, manifestSha256, part, paths, to, domain }: PartRestore,
  { signal }: BackupOptions,
): Promise<Swap> {
  const shelf = await shelfAt(where, place, signal)
  const manifest = await readManifest(shelf, manifestSha256)
  if (typeof manifest === 'string') throw new HostError('stage', `The backup is damaged: ${manifest}`)
  const archive = Readable.from(shelf.read(archiveName(part, manifest.compression)))
  try {
    const bytes = through(archive, decompress(manifest.compression, signal))
    return await home.stage({ name, part, paths, to, domain }, bytes, signal)
  } finally {
    archive.destroy()
  }
}
