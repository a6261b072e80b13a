import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { bestCompression, compress, compressions, decompress, through } from '../homes/archive/compress.ts'
import type { FailPoint } from '../install/engine.ts'
import type { Filling, SavedDatabases } from './databases.ts'
import type { Copied, RestoreJournal } from './journal.ts'
import { localReader } from './reader.ts'
import { flushDirectory, writeEntry } from './write.ts'

/** New content for a database, and where its progress is kept. */
export interface Refilling {
  readonly server: SavedDatabases
  readonly journal: RestoreJournal
  readonly filling: Filling
  /** The size of its statements. */
  readonly bytes: number
  readonly onFailPoint?: FailPoint | undefined
}

/**
 * One database: the new content is tried out under another name, then the former is saved, then the database is filled.
 * If that fails, its former content is put back.
 */
export class Refill {
  readonly #refilling: Refilling

  constructor(refilling: Refilling) {
    this.#refilling = refilling
  }

  async run(): Promise<string[]> {
    const { journal } = this.#refilling
    const { name } = this.#filling
    const before = journal.ofDatabase(name)
    if (before === undefined) journal.writeDatabase(name, await this.#prepare())
    else if (before !== 'done' && this.#filling.merges) await this.#startAgain(before)
    const state = journal.ofDatabase(name)!
    const warnings = state === 'done' ? [] : await this.#fill(state)
    journal.writeDatabase(name, 'done')
    await rm(journal.folder, { recursive: true, force: true })
    return warnings
  }

  /** What was added before the work was cut off must not be added twice. */
  async #startAgain(copied: Copied): Promise<void> {
    await this.#refilling.server.fill(this.#former(copied))
  }

  get #filling(): Filling {
    return this.#refilling.filling
  }

  /** What is added to former content is tried out on a copy of it. */
  async #prepare(): Promise<Copied> {
    const { server, bytes, onFailPoint } = this.#refilling
    const filling = this.#filling
    if (!filling.merges) {
      await server.tryOut(filling, bytes)
      await onFailPoint?.('restore-tried')
      return this.#copy()
    }
    const copied = await this.#copy()
    try {
      await server.tryOut(filling, bytes, this.#former(copied))
    } catch (error) {
      await this.#forgetCopy()
      throw error
    }
    return copied
  }

  #forgetCopy(): Promise<void> {
    return rm(this.#refilling.journal.folder, { recursive: true, force: true })
  }

  get #copyName(): string {
    return `${this.#filling.name}.sql.${compressions[bestCompression()]}`
  }

  /** Only a complete copy has its final name. */
  async #copy(): Promise<Copied> {
    const { server, journal } = this.#refilling
    const { name, signal } = this.#filling
    const partial = `${this.#copyName}.partial`
    await rm(journal.folder, { recursive: true, force: true })
    const dump = server.dump(name, signal)
    await writeEntry(journal.folder, partial, through(dump.bytes, compress(bestCompression(), signal)))
    await rename(join(journal.folder, partial), join(journal.folder, this.#copyName))
    await flushDirectory(journal.folder)
    return { definers: dump.result().definers }
  }

  async #fill(copied: Copied): Promise<string[]> {
    const { server, onFailPoint } = this.#refilling
    try {
      await onFailPoint?.('restore-copied')
      return await server.fill(this.#filling)
    } catch (error) {
      // If the account leaves or the server stops, do not roll back: the work resumes or is obsolete.
      this.#filling.signal?.throwIfAborted()
      await this.#putBack(copied)
      throw error
    }
  }

  #former({ definers }: Copied): Filling {
    const { merges: _, isPrepared: __, ...filling } = this.#filling
    const { name, prefix, signal } = filling
    const reader = localReader(this.#refilling.journal.folder)
    const bytes = () => through(reader.read(this.#copyName), decompress(bestCompression(), signal))
    return { ...filling, from: name, formerPrefix: prefix, definers, bytes }
  }

  async #putBack(copied: Copied): Promise<void> {
    const { server, journal } = this.#refilling
    await server.fill(this.#former(copied))
    journal.writeDatabase(this.#filling.name, undefined)
    await this.#forgetCopy()
  }
}
