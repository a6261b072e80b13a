import { rename, rm, rmdir } from 'node:fs/promises'
import { KeyedLock } from '../../shared/lock.ts'
import type { AccountName } from '../account.ts'
import type {
  BackupCheck,
  BackupDownload,
  BackupOptions,
  BackupOrder,
  BackupPlace,
  DatabasesRestore,
  Destination,
  HostBackups,
  PartRestore,
  RestoreFindings,
} from '../backups.ts'
import type { Faults } from '../install/engine.ts'
import { withUserMessage } from '../install/user-message.ts'
import type { Repository } from '../repository.ts'
import { check, readTexts } from './check.ts'
import type { SavedDatabases } from './databases.ts'
import { openDownload } from './download.ts'
import type { SavedHome } from './home.ts'
import { forgetRestores } from './journal.ts'
import { judgeDirectory, probeDirectory } from './local-place.ts'
import { make } from './make.ts'
import { directoryOf, folderOf, partialOf } from './place.ts'
import { bringAway } from './remote.ts'
import { nameOf } from './restic/environment.ts'
import { keyFolder, needRestic, Restic } from './restic/restic.ts'
import { restorePart } from './restore.ts'
import { restoreDatabases } from './restore-databases.ts'

/** The locations of backups and homes. */
export interface Places {
  readonly root: string
  /** The host's root. */
  readonly host: string
  /** The directory of all homes. */
  readonly homes: string
  /** An account's home; throws before its first apply. */
  homeOf(account: AccountName): SavedHome
  readonly databases?: SavedDatabases | undefined
  readonly faults?: Faults | undefined
}

/** Backups as directories on this host. */
export class DirectoryBackups implements HostBackups {
  readonly #places: Places
  readonly #lock = new KeyedLock()

  constructor(places: Places) {
    this.#places = places
  }

  make(order: BackupOrder, options: BackupOptions = {}) {
    const { root, faults, homeOf, databases } = this.#places
    const { repository } = order.place
    return this.#alone(order.place, options, async () => {
      await this.#judgeDirectory(order.place)
      const saved = await make(root, { home: homeOf(order.account), databases }, order, options, faults)
      if (!repository) return saved
      return this.#lock.run(nameOf(repository), () => bringAway(this.#roots, order, saved, options))
    })
  }

  check(wanted: BackupCheck, options: BackupOptions = {}) {
    return this.#alone(wanted.place, options, () =>
      check(this.#roots, wanted.into && this.#places.homes, wanted, options),
    )
  }

  read(wanted: BackupCheck) {
    return this.#alone(wanted.place, {}, () => readTexts(this.#roots, wanted))
  }

  /** Outside the queue: a complete backup does not change, and the panel prevents its deletion. */
  open(wanted: BackupDownload) {
    return withUserMessage('stage', () => openDownload(this.#roots, wanted))
  }

  /** In the queue of the target account: a new account has none of the old one's backups. */
  restore(wanted: PartRestore, options: BackupOptions = {}): Promise<void> {
    const { faults, homeOf } = this.#places
    const act = () => restorePart({ ...this.#roots, faults }, homeOf(wanted.account), wanted, options)
    return this.#alone({ ...wanted.place, account: wanted.account.id }, options, act)
  }

  /** In the same queue. */
  restoreDatabases(wanted: DatabasesRestore, options: BackupOptions = {}): Promise<RestoreFindings> {
    const { faults, databases } = this.#places
    const act = () => restoreDatabases({ ...this.#roots, faults }, databases, wanted, options)
    return this.#alone({ ...wanted.place, account: wanted.account.id }, options, act)
  }

  /** Renames it first: a half-removed backup must not look complete. */
  remove(place: BackupPlace): Promise<void> {
    const { root } = this.#places
    return this.#alone(place, {}, async () => {
      if (place.repository) await this.#forget(place.repository, place.backup)
      await rm(partialOf(root, place), { recursive: true, force: true })
      await rename(directoryOf(root, place), partialOf(root, place)).catch(unlessAbsent)
      await rm(partialOf(root, place), { recursive: true, force: true })
      await rmdir(folderOf(root, place)).catch(unlessKept)
    })
  }

  judge({ path }: Pick<Destination, 'path'>): Promise<void> {
    return path === undefined ? needRestic() : this.#judgeDirectory({ path })
  }

  async test({ path, repository }: Destination, { signal }: BackupOptions = {}): Promise<void> {
    await this.#judgeDirectory({ path })
    if (repository) await new Restic(repository, { host: this.#places.host, signal }).prepare('test')
    if (path !== undefined) await withUserMessage('stage', () => probeDirectory(path))
  }

  /** Removes keys for restic that a crash left. */
  recover(): Promise<void> {
    return rm(keyFolder(this.#places.host), { recursive: true, force: true })
  }

  get #roots() {
    return { backups: this.#places.root, host: this.#places.host }
  }

  async #judgeDirectory({ path }: Pick<Destination, 'path'>): Promise<void> {
    if (path !== undefined) await withUserMessage('stage', () => judgeDirectory(path, this.#places.homes))
  }

  #forget(repository: Repository, backup: string): Promise<void> {
    return this.#lock.run(nameOf(repository), async () => {
      const restic = new Restic(repository, { host: this.#places.host })
      const snapshots = await restic.prepare(backup)
      if (snapshots.length > 0) await restic.forget(snapshots)
    })
  }

  /** Forgets an account's restores, once nothing uses its backups. */
  leave(account: string): Promise<void> {
    return this.#lock.run(account, async () => forgetRestores(this.#places.host, account))
  }

  #alone<T>({ account }: BackupPlace, { signal }: BackupOptions, act: () => Promise<T>): Promise<T> {
    return this.#lock.run(account, () => {
      signal?.throwIfAborted()
      return withUserMessage('stage', act)
    })
  }
}

function unlessAbsent(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

function unlessKept(error: NodeJS.ErrnoException): void {
  if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code ?? '')) throw error
}
