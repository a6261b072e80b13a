import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { bestCompression } from '../archive/compress.ts'
import type { BackupOptions, BackupOrder, SavedBackup, SavedPart } from '../backups.ts'
import type { Faults } from '../install/engine.ts'
import type { SavedHome } from './home.ts'
import { type BackupManifest, type ManifestEntry, manifestName, sha256Of, textOf } from './manifest.ts'
import { archiveName, savePart } from './parts.ts'
import { directoryOf, folderOf, partialOf } from './place.ts'
import { flushDirectory, writeEntry } from './write.ts'

/** Makes a backup from empty. Under its name it is whole: what is being written lies beside it. */
export async function make(
  root: string,
  home: SavedHome,
  order: BackupOrder,
  options: BackupOptions,
  faults?: Faults,
): Promise<SavedBackup> {
  const partial = partialOf(root, order.place)
  await prepare(root, order)
  try {
    const saved = await write(partial, home, order, options, faults)
    options.signal?.throwIfAborted()
    await flushAll(partial, order)
    await rename(partial, directoryOf(root, order.place))
    await flushDirectory(dirname(partial))
    await faults?.('backup-named')
    return saved
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    throw error
  }
}

/** What a crash left of this account's backups goes; one is made at a time. */
async function prepare(root: string, { place }: BackupOrder): Promise<void> {
  const folder = folderOf(root, place)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const name of await readdir(folder))
    if (name.endsWith('.partial') || name === place.backup)
      await rm(join(folder, name), { recursive: true, force: true })
  await mkdir(partialOf(root, place), { mode: 0o700 })
}

async function write(
  partial: string,
  home: SavedHome,
  order: BackupOrder,
  options: BackupOptions,
  faults?: Faults,
): Promise<SavedBackup> {
  const target = { folder: partial, compression: bestCompression() }
  const entries: ManifestEntry[] = []
  const parts: SavedPart[] = []
  const steps = order.parts.length + 1
  for (const part of order.parts) {
    const { saved, entry } = await savePart(home, part, target, options)
    if (entry) entries.push(entry)
    else await rm(join(partial, archiveName(part, target.compression)), { force: true })
    parts.push(saved)
    await faults?.('backup-part')
    options.progress?.(lineOf(saved), parts.length / steps)
  }
  const texts = await writeTexts(partial, order)
  const manifest: BackupManifest = {
    format: 1,
    backup: order.place.backup,
    account: order.account,
    created_at: order.createdAt,
    compression: target.compression,
    entries: [...entries, ...texts],
  }
  const own = await writeEntry(partial, manifestName, bytesOf(textOf(manifest)))
  return {
    parts,
    texts: Object.fromEntries(texts.map(({ name, bytes }) => [name, bytes])),
    sizeBytes: manifest.entries.reduce((sum, { bytes }) => sum + bytes, own.bytes),
    manifestSha256: sha256Of(textOf(manifest)),
  }
}

function lineOf({ part, status, files, bytes, error }: SavedPart): string {
  if (status === 'absent') return `${part}: there is none`
  return status === 'failed' ? `${part}: ${error}` : `${part}: ${files} files, ${bytes} bytes compressed`
}

async function writeTexts(partial: string, { texts }: BackupOrder): Promise<ManifestEntry[]> {
  const entries: ManifestEntry[] = []
  for (const { name, text } of texts) entries.push(await writeEntry(partial, name, bytesOf(text)))
  return entries
}

async function* bytesOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}

async function flushAll(partial: string, { texts }: BackupOrder): Promise<void> {
  const folders = new Set(texts.map(({ name }) => dirname(name)))
  for (const folder of folders) await flushDirectory(join(partial, folder))
  await flushDirectory(partial)
}
