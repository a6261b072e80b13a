import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { SavedPart } from '../contract/commands/backups.ts'
import type { Doing } from '../contract/commands/index.ts'
import { HostError } from '../contract/error.ts'
import { type Compression, compress, compressions, through } from '../homes/archive/compress.ts'
import type { SavedDatabases } from './databases.ts'
import type { ManifestEntry } from './manifest.ts'
import { failedPart, type RestoreDestination } from './parts.ts'
import { writeEntry } from './write.ts'

export const dumpName = (database: string, compression: Compression): string =>
  `db/${database}.sql.${compressions[compression]}`

interface Saved {
  readonly saved: SavedPart
  readonly entries: readonly ManifestEntry[]
}

const absent: Saved = { saved: { part: 'mysql', status: 'absent' }, entries: [] }

/** The server knows of them, but they were never made here. */
const leftOut = (names: readonly string[]): Saved => {
  const warnings = [`Left out, as this machine has no MariaDB: ${names.join(', ')}.`]
  return { ...absent, saved: { ...absent.saved, warnings } }
}

/** Dumps databases: if one fails, so does the whole part. */
export async function saveDatabases(
  server: SavedDatabases | undefined,
  names: readonly string[],
  target: RestoreDestination,
  options: Doing,
): Promise<Saved> {
  if (names.length === 0) return absent
  if (!server?.isThere()) return leftOut(names)
  const warnings: string[] = []
  const entries: ManifestEntry[] = []
  try {
    for (const name of names) {
      const { entry, warnings: input } = await saveDatabase(server, name, target, options)
      entries.push(entry)
      warnings.push(...input.map((line) => `${name}: ${line}`))
    }
  } catch (error) {
    const failed = failedPart('mysql', error, options)
    await rm(join(target.folder, 'db'), { recursive: true, force: true })
    return { saved: failed, entries: [] }
  }
  const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0)
  const saved = { part: 'mysql', status: 'ok', files: entries.length, bytes } as const
  return { saved: { ...saved, ...(warnings.length > 0 && { warnings }) }, entries }
}

async function saveDatabase(server: SavedDatabases, name: string, target: RestoreDestination, { signal }: Doing) {
  const dump = server.dump(name, signal)
  const bytes = through(dump.bytes, compress(target.compression, signal))
  const written = await writeEntry(target.folder, dumpName(name, target.compression), bytes).catch(naming(name))
  const { bytes: content_bytes, definers, warnings } = dump.result()
  const entry = { ...written, content_bytes, ...(definers.length > 0 && { definers }) }
  return { entry, warnings }
}

/** Adds the database's name to an error. */
export const naming =
  (name: string) =>
  (error: unknown): never => {
    if (!(error instanceof HostError)) throw error
    throw new HostError(error.stage, `${name}: ${error.message}`, error.code)
  }
