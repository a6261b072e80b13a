import type { DatabasesRestore, DatabaseTarget, RestoreFindings } from '../contract/commands/backups.ts'
import type { Doing } from '../contract/commands/index.ts'
import { HostError } from '../contract/error.ts'
import { decompress, through } from '../homes/archive/compress.ts'
import { readManifest, verified } from './check.ts'
import type { SavedDatabases } from './databases.ts'
import { dumpName, naming } from './dumps.ts'
import { RestoreJournal } from './journal.ts'
import type { BackupManifest } from './manifest.ts'
import type { BackupReader } from './reader.ts'
import { readerAt } from './readers.ts'
import { Refill } from './refill.ts'
import type { Restoring } from './restore.ts'

/** Recreates databases from a backup. */
export async function restoreDatabases(
  where: Restoring,
  server: SavedDatabases | undefined,
  request: DatabasesRestore,
  options: Doing,
): Promise<RestoreFindings> {
  if (!server?.isThere()) throw new HostError('unsupported', 'There is no database server on this host.')
  const reader = await readerAt(where, request.place, options.signal)
  const manifest = await readManifest(reader, request.manifestSha256)
  if (typeof manifest === 'string') throw new HostError('stage', `The backup is damaged: ${manifest}`)
  const journal = new RestoreJournal(where.host, request.account.id, request.restore)
  const warnings: string[] = []
  for (const target of request.databases) {
    const restore = { where, server, reader, manifest, journal, desired: request, options }
    warnings.push(...(await restoreDatabase(restore, target).catch(naming(target.to))))
    options.progress?.(`${target.to} was restored`, 1)
  }
  return { warnings }
}

interface Restore {
  readonly where: Restoring
  readonly server: SavedDatabases
  readonly reader: BackupReader
  readonly manifest: BackupManifest
  readonly journal: RestoreJournal
  readonly desired: DatabasesRestore
  readonly options: Doing
}

/** One database of a backup. */
function restoreDatabase(restore: Restore, target: DatabaseTarget): Promise<string[]> {
  const { where, server, reader, manifest, journal, desired, options } = restore
  const { from, to, collation } = target
  const entry = entryOf(manifest, from)
  const { prefix, formerPrefix, account } = desired
  const bytes = () => through(verified(reader, entry), decompress(manifest.compression, options.signal))
  const about = { name: to, from, collation, prefix, formerPrefix, account, signal: options.signal }
  const filling = { ...about, bytes, definers: entry.definers ?? [] }
  const { onFailPoint } = where
  return new Refill({ server, journal, filling, bytes: entry.content_bytes ?? 0, onFailPoint }).run()
}

function entryOf({ entries, compression }: BackupManifest, database: string) {
  const name = dumpName(database, compression)
  const entry = entries.find((one) => one.name === name)
  if (!entry) throw new HostError('precheck', `${database} is not in the backup.`)
  return entry
}
