import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { bestCompression, type Compression, compress, compressions, decompress, through } from '../archive/compress.ts'
import type { BackupOptions, DatabasesRestore, DatabaseTarget, RestoreFindings } from '../backups.ts'
import { HostError } from '../error.ts'
import { readManifest } from './check.ts'
import type { Filling, SavedDatabases } from './databases.ts'
import { dumpName, naming } from './dumps.ts'
import { type Copied, RestoreJournal } from './journal.ts'
import type { BackupManifest } from './manifest.ts'
import type { Restoring } from './restore.ts'
import { localShelf, type Shelf } from './shelf.ts'
import { shelfAt } from './shelves.ts'
import { flushDirectory, writeEntry } from './write.ts'

/** Recreates databases from a backup. */
export async function restoreDatabases(
  where: Restoring,
  server: SavedDatabases | undefined,
  wanted: DatabasesRestore,
  options: BackupOptions,
): Promise<RestoreFindings> {
  if (!server?.isThere()) throw new HostError('unsupported', 'There is no database server on this host.')
  const shelf = await shelfAt(where, wanted.place, options.signal)
  const manifest = await readManifest(shelf, wanted.manifestSha256)
  if (typeof manifest === 'string') throw new HostError('stage', `The backup is damaged: ${manifest}`)
  const journal = new RestoreJournal(where.host, wanted.account.id, wanted.restore)
  const warnings: string[] = []
  for (const target of wanted.databases) {
    const one = new DatabaseRestore({ where, server, shelf, manifest, journal, wanted, options }, target)
    warnings.push(...(await one.run().catch(naming(target.to))))
    options.progress?.(`${target.to} was restored`, 1)
  }
  return { warnings }
}

interface Restore {
  readonly where: Restoring
  readonly server: SavedDatabases
  readonly shelf: Shelf
  readonly manifest: BackupManifest
  readonly journal: RestoreJournal
  readonly wanted: DatabasesRestore
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
      await where.faults?.('restore-tried')
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

  #filling(shelf: Shelf, name: string, as: Compression, of: Partial<Filling>): Filling {
    const { wanted, options } = this.#restore
    const { to, from, collation } = this.#target
    const { prefix, formerPrefix, account } = wanted
    const bytes = () => through(shelf.read(name), decompress(as, options.signal))
    const about = { name: to, from, collation, prefix, formerPrefix, account, signal: options.signal }
    return { ...about, bytes, definers: [], ...of }
  }

  #fromBackup(): Filling {
    const { shelf, manifest } = this.#restore
    const { name, definers = [] } = this.#entry
    return this.#filling(shelf, name, manifest.compression, { definers })
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
    return { definers: dump.told().definers }
  }

  async #makeAnew(copied: Copied): Promise<string[]> {
    const { server, options, where } = this.#restore
    try {
      await where.faults?.('restore-copied')
      return await server.fill(this.#fromBackup())
    } catch (error) {
      // If the account leaves or the server stops, do not roll back: the restore resumes or is obsolete.
      options.signal?.throwIfAborted()
      await this.#putBack(copied)
      throw error
    }
  }

  async #putBack({ definers }: Copied): Promise<void> {
    const { server, journal, wanted } = this.#restore
    const of = { from: this.#target.to, formerPrefix: wanted.prefix, definers }
    await server.fill(this.#filling(localShelf(journal.folder), this.#copyName, bestCompression(), of))
    journal.writeDatabase(this.#target.to, undefined)
    await rm(journal.folder, { recursive: true, force: true })
  }
}
