import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { BackupRequest, SavedBackup, SavedPart } from '../contract/commands/backups.ts'
import type { Doing } from '../contract/commands/index.ts'
import { bestCompression } from '../homes/archive/compress.ts'
import type { FailPoint } from '../install/engine.ts'
import type { SavedDatabases } from './databases.ts'
import { saveDatabases } from './dumps.ts'
import type { SavedHome } from './home.ts'
import { type BackupManifest, type ManifestEntry, manifestName, sha256Of, textOf } from './manifest.ts'
import { archiveName, savePart } from './parts.ts'
import { directoryOf, folderOf, partialOf } from './place.ts'
import { flushDirectory, writeEntry } from './write.ts'

/** What to read from a host into a backup. */
export interface ReadFrom {
  readonly home: SavedHome
  readonly databases?: SavedDatabases | undefined
}

/** Makes a backup from scratch. Only a complete one gets its name: the partial one lies beside it. */
export async function make(
  root: string,
  from: ReadFrom,
  order: BackupRequest,
  options: Doing,
  onFailPoint?: FailPoint,
): Promise<SavedBackup> {
  const partial = partialOf(root, order.place)
  await prepare(root, order)
  try {
    const saved = await write(partial, from, order, options, onFailPoint)
    options.signal?.throwIfAborted()
    await flushAll(partial)
    await rename(partial, directoryOf(root, order.place))
    await flushDirectory(dirname(partial))
    await onFailPoint?.('backup-named')
    return saved
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    throw error
  }
}

/** Removes leftovers of a crash: an account has at most one backup in progress. */
async function prepare(root: string, { place }: BackupRequest): Promise<void> {
  const folder = folderOf(root, place)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const name of await readdir(folder))
    if (name.endsWith('.partial') || name === place.backup)
      await rm(join(folder, name), { recursive: true, force: true })
  await mkdir(partialOf(root, place), { mode: 0o700 })
}

async function write(
  partial: string,
  { home, databases }: ReadFrom,
  order: BackupRequest,
  options: Doing,
  onFailPoint?: FailPoint,
): Promise<SavedBackup> {
  const target = { folder: partial, compression: bestCompression() }
  const entries: ManifestEntry[] = []
  const parts: SavedPart[] = []
  const steps = order.parts.length + 2
  for (const part of order.parts) {
    const { saved, entry } = await savePart(home, part, target, options)
    if (entry) entries.push(entry)
    else await rm(join(partial, archiveName(part, target.compression)), { force: true })
    parts.push(saved)
    await onFailPoint?.('backup-part')
    options.progress?.(lineOf(saved), parts.length / steps)
  }
  if (order.databases) {
    const { saved, entries: dumps } = await saveDatabases(databases, order.databases, target, options)
    entries.push(...dumps)
    parts.push(saved)
    await onFailPoint?.('backup-databases')
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

function lineOf({ part, status, files, bytes, error, warnings = [] }: SavedPart): string {
  if (status === 'absent') return `${part}: ${warnings[0] ?? 'there is none'}`
  if (status === 'failed') return `${part}: ${error}`
  return `${part}: ${files} ${part === 'mysql' ? 'databases' : 'files'}, ${bytes} bytes compressed`
}

async function writeTexts(partial: string, { texts }: BackupRequest): Promise<ManifestEntry[]> {
  const entries: ManifestEntry[] = []
  for (const { name, text } of texts) entries.push(await writeEntry(partial, name, bytesOf(text)))
  return entries
}

async function* bytesOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}

async function flushAll(partial: string): Promise<void> {
  for (const entry of await readdir(partial, { withFileTypes: true }))
    if (entry.isDirectory()) await flushDirectory(join(partial, entry.name))
  await flushDirectory(partial)
}
