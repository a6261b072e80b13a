import { rename, rm, rmdir } from 'node:fs/promises'
import { KeyedLock } from '../../shared/lock.ts'
import type { AccountName } from '../contract/account.ts'
import type {
  BackupCheck,
  BackupDownload,
  BackupOptions,
  BackupPlace,
  BackupRequest,
  DatabasesRestore,
  Destination,
  HostBackups,
  PartRestore,
  RestoreFindings,
} from '../contract/backups.ts'
import type { Repository } from '../contract/repository.ts'
import type { FailPoint } from '../install/engine.ts'
import { withUserMessage } from '../install/user-message.ts'
import { check, readTexts } from './check.ts'
import type { SavedDatabases } from './databases.ts'
import { openDownload } from './download.ts'
import type { SavedHome } from './home.ts'
import { forgetRestores } from './journal.ts'
import { probeDirectory, validateDirectory } from './local-place.ts'
import { make } from './make.ts'
import { directoryOf, folderOf, partialOf } from './place.ts'
import { upload } from './remote.ts'
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
  readonly onFailPoint?: FailPoint | undefined
}

/** Backups as directories on this host. */
export class DirectoryBackups implements HostBackups {
  readonly #places: Places
  readonly #lock = new KeyedLock()

  constructor(places: Places) {
    this.#places = places
  }

  make(order: BackupRequest, options: BackupOptions = {}) {
    const { root, onFailPoint, homeOf, databases } = this.#places
    const { repository } = order.place
    return this.#alone(order.place, options, async () => {
      await this.#validateDirectory(order.place)
      const saved = await make(root, { home: homeOf(order.account), databases }, order, options, onFailPoint)
      if (!repository) return saved
      return this.#lock.run(nameOf(repository), () => upload(this.#roots, order, saved, options))
    })
  }

  check(request: BackupCheck, options: BackupOptions = {}) {
    return this.#alone(request.place, options, () =>
      check(this.#roots, request.into && this.#places.homes, request, options),
    )
  }

  read(request: BackupCheck) {
    return this.#alone(request.place, {}, () => readTexts(this.#roots, request))
  }

  /** Outside the queue: a complete backup does not change, and the panel prevents its deletion. */
  open(request: BackupDownload) {
    return withUserMessage('stage', () => openDownload(this.#roots, request))
  }

  /** In the queue of the target account: a new account has none of the old one's backups. */
  restore(request: PartRestore, options: BackupOptions = {}): Promise<void> {
    const { onFailPoint, homeOf } = this.#places
    const act = () => restorePart({ ...this.#roots, onFailPoint }, homeOf(request.account), request, options)
    return this.#alone({ ...request.place, account: request.account.id }, options, act)
  }

  /** In the same queue. */
  restoreDatabases(request: DatabasesRestore, options: BackupOptions = {}): Promise<RestoreFindings> {
    const { onFailPoint, databases } = this.#places
    const act = () => restoreDatabases({ ...this.#roots, onFailPoint }, databases, request, options)
    return this.#alone({ ...request.place, account: request.account.id }, options, act)
  }

  /** Renames it first: a half-removed backup must not look complete. */
  remove(place: BackupPlace): Promise<void> {
    const { root } = this.#places
    return this.#alone(place, {}, async () => {
      if (place.repository) await this.#forget(place.repository, place.backup)
      await rm(partialOf(root, place), { recursive: true, force: true })
      await rename(directoryOf(root, place), partialOf(root, place)).catch(unlessAbsent)
      await rm(partialOf(root, place), { recursive: true, force: true })
      await rmdir(folderOf(root, place)).catch(unlessRetained)
    })
  }

  validate({ path }: Pick<Destination, 'path'>): Promise<void> {
    return path === undefined ? needRestic() : this.#validateDirectory({ path })
  }

  async test({ path, repository }: Destination, { signal }: BackupOptions = {}): Promise<void> {
    await this.#validateDirectory({ path })
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

  async #validateDirectory({ path }: Pick<Destination, 'path'>): Promise<void> {
    if (path !== undefined) await withUserMessage('stage', () => validateDirectory(path, this.#places.homes))
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

function unlessRetained(error: NodeJS.ErrnoException): void {
  if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code ?? '')) throw error
}
