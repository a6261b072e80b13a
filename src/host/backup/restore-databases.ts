import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { BackupOptions, DatabasesRestore, DatabaseTarget, RestoreFindings } from '../contract/backups.ts'
import { HostError } from '../contract/error.ts'
import {
  bestCompression,
  type Compression,
  compress,
  compressions,
  decompress,
  through,
} from '../homes/archive/compress.ts'
import { readManifest } from './check.ts'
import type { Filling, SavedDatabases } from './databases.ts'
import { dumpName, naming } from './dumps.ts'
import { type Copied, RestoreJournal } from './journal.ts'
import type { BackupManifest } from './manifest.ts'
import { localReader, type Reader } from './reader.ts'
import { readerAt } from './readers.ts'
import type { Restoring } from './restore.ts'
import { flushDirectory, writeEntry } from './write.ts'

/** Recreates databases from a backup. */
export async function restoreDatabases(
  where: Restoring,
  server: SavedDatabases | undefined,
  request: DatabasesRestore,
  options: BackupOptions,
): Promise<RestoreFindings> {
  if (!server?.isThere()) throw new HostError('unsupported', 'There is no database server on this host.')
  const reader = await readerAt(where, request.place, options.signal)
  const manifest = await readManifest(reader, request.manifestSha256)
  if (typeof manifest === 'string') throw new HostError('stage', `The backup is damaged: ${manifest}`)
  const journal = new RestoreJournal(where.host, request.account.id, request.restore)
  const warnings: string[] = []
  for (const target of request.databases) {
    const one = new DatabaseRestore({ where, server, reader, manifest, journal, desired: request, options }, target)
    warnings.push(...(await one.run().catch(naming(target.to))))
    options.progress?.(`${target.to} was restored`, 1)
  }
  return { warnings }
}

interface Restore {
  readonly where: Restoring
  readonly server: SavedDatabases
  readonly reader: Reader
  readonly manifest: BackupManifest
  readonly journal: RestoreJournal
  readonly desired: DatabasesRestore
  readonly options: BackupOptions
}

/**
 * One database: tried out under another name, then its content is saved, then it is recreated. If that fails, it is
 * recreated from the saved copy.
 */
class DatabaseRestore {
  readonly #restore: Restore
  readonly #target: DatabaseTarget

  constructor(restore: Restore, target: DatabaseTarget) {
    this.#restore = restore
    this.#target = target
  }

  async run(): Promise<string[]> {
    const { journal, where } = this.#restore
    const { to } = this.#target
    if (journal.ofDatabase(to) === undefined) {
      await this.#tryOut()
      await where.onFailPoint?.('restore-tried')
      journal.writeDatabase(to, await this.#copy())
    }
    const state = journal.ofDatabase(to)!
    const warnings = state === 'done' ? [] : await this.#makeAnew(state)
    journal.writeDatabase(to, 'done')
    await rm(journal.folder, { recursive: true, force: true })
    return warnings
  }

  get #entry() {
    const { manifest } = this.#restore
    const name = dumpName(this.#target.from, manifest.compression)
    const entry = manifest.entries.find((one) => one.name === name)
    if (!entry) throw new HostError('precheck', `${this.#target.from} is not in the backup.`)
    return entry
  }

  #filling(reader: Reader, name: string, as: Compression, of: Partial<Filling>): Filling {
    const { desired: request, options } = this.#restore
    const { to, from, collation } = this.#target
    const { prefix, formerPrefix, account } = request
    const bytes = () => through(reader.read(name), decompress(as, options.signal))
    const about = { name: to, from, collation, prefix, formerPrefix, account, signal: options.signal }
    return { ...about, bytes, definers: [], ...of }
  }

  #fromBackup(): Filling {
    const { reader, manifest } = this.#restore
    const { name, definers = [] } = this.#entry
    return this.#filling(reader, name, manifest.compression, { definers })
  }

  async #tryOut(): Promise<void> {
    await this.#restore.server.tryOut(this.#fromBackup(), this.#entry.content_bytes ?? 0)
  }

  get #copyName(): string {
    return `${this.#target.to}.sql.${compressions[bestCompression()]}`
  }

  /** Only a complete copy has its final name. */
  async #copy(): Promise<Copied> {
    const { server, journal, options } = this.#restore
    const partial = `${this.#copyName}.partial`
    await rm(journal.folder, { recursive: true, force: true })
    const dump = server.dump(this.#target.to, options.signal)
    await writeEntry(journal.folder, partial, through(dump.bytes, compress(bestCompression(), options.signal)))
    await rename(join(journal.folder, partial), join(journal.folder, this.#copyName))
    await flushDirectory(journal.folder)
    return { definers: dump.input().definers }
  }

  async #makeAnew(copied: Copied): Promise<string[]> {
    const { server, options, where } = this.#restore
    try {
      await where.onFailPoint?.('restore-copied')
      return await server.fill(this.#fromBackup())
    } catch (error) {
      // If the account leaves or the server stops, do not roll back: the restore resumes or is obsolete.
      options.signal?.throwIfAborted()
      await this.#putBack(copied)
      throw error
    }
  }

  async #putBack({ definers }: Copied): Promise<void> {
    const { server, journal, desired: request } = this.#restore
    const of = { from: this.#target.to, formerPrefix: request.prefix, definers }
    await server.fill(this.#filling(localReader(journal.folder), this.#copyName, bestCompression(), of))
    journal.writeDatabase(this.#target.to, undefined)
    await rm(journal.folder, { recursive: true, force: true })
  }
}
