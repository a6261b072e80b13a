import { rename, rm, rmdir } from 'node:fs/promises'
import { KeyedLock } from '../../shared/lock.ts'
import type { AccountName } from '../contract/account.ts'
import type {
  BackupCheck,
  BackupContents,
  BackupDownload,
  BackupListing,
  BackupPlace,
  BackupRequest,
  BackupTrial,
  DatabasesRestore,
  Destination,
  PartRestore,
  RestoreFindings,
  TrialFindings,
} from '../contract/commands/backups.ts'
import type { Doing } from '../contract/commands/index.ts'
import type { HostBackups } from '../contract/driver.ts'
import type { Repository } from '../contract/repository.ts'
import type { FailPoint } from '../install/engine.ts'
import { withUserMessage } from '../install/user-message.ts'
import { check, readTexts } from './check.ts'
import { listContents } from './contents/list.ts'
import { indexBackup } from './contents/make.ts'
import { removeIndexes, removeIndexesOf } from './contents/store.ts'
import type { SavedDatabases } from './databases.ts'
import { openDownload } from './download.ts'
import type { HomeQuota, SavedHome } from './home.ts'
import { forgetRestores } from './journal.ts'
import { probeDirectory, validateDirectory } from './local-place.ts'
import { make } from './make.ts'
import { directoryOf, folderOf, partialOf } from './place.ts'
import { upload } from './remote.ts'
import { nameOf } from './restic/environment.ts'
import { keyFolder, needRestic, Restic } from './restic/restic.ts'
import { restorePart } from './restore.ts'
import { restoreDatabases } from './restore-databases.ts'
import { trialFolder, tryBackup } from './trial.ts'

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
  readonly quota?: HomeQuota | undefined
  readonly onFailPoint?: FailPoint | undefined
  /** What an account's backups take turns by, with other work on its databases. */
  readonly lock?: KeyedLock
}

/** Backups as directories on this host. */
export class DirectoryBackups implements HostBackups {
  readonly #places: Places
  readonly #lock: KeyedLock

  constructor(places: Places) {
    this.#places = places
    this.#lock = places.lock ?? new KeyedLock()
  }

  backup(order: BackupRequest, options: Doing = {}) {
    const { root, onFailPoint, homeOf, databases } = this.#places
    const { repository } = order.place
    return this.#alone(order.place, options, async () => {
      await this.#validateDirectory(order.place)
      const saved = await make(root, { home: homeOf(order.account), databases }, order, options, onFailPoint)
      if (!repository) return saved
      return this.#lock.run(nameOf(repository), () => upload(this.#roots, order, saved, options))
    })
  }

  checkBackup(request: BackupCheck, options: Doing = {}) {
    return this.#alone(request.place, options, () =>
      check(this.#roots, request.into && this.#places.homes, request, options),
    )
  }

  /** Outside the queue, too: an account's own work with its backups does not wait for it. */
  tryBackup(request: BackupTrial, options: Doing = {}): Promise<TrialFindings> {
    const { databases } = this.#places
    return withUserMessage('stage', () => tryBackup(this.#roots, databases, request, options))
  }

  readBackup(request: BackupCheck) {
    return this.#alone(request.place, {}, () => readTexts(this.#roots, request))
  }

  /** Outside the queue of the account, and once at a time for each backup. */
  indexBackup(request: BackupCheck, options: Doing = {}): Promise<void> {
    return this.#lock.run(`contents:${request.place.backup}`, () =>
      withUserMessage('stage', () => indexBackup(this.#roots, request, options)),
    )
  }

  listBackup(request: BackupListing): Promise<BackupContents> {
    return withUserMessage('stage', () => listContents(this.#roots, request))
  }

  /** Outside the queue: a complete backup does not change, and the panel prevents its deletion. */
  openBackup(request: BackupDownload) {
    return withUserMessage('stage', () => openDownload(this.#roots, request))
  }

  /** In the queue of the target account: a new account has none of the old one's backups. */
  restorePart(request: PartRestore, options: Doing = {}): Promise<void> {
    const { onFailPoint, homeOf, quota } = this.#places
    const act = () => restorePart({ ...this.#roots, quota, onFailPoint }, homeOf(request.account), request, options)
    return this.#alone({ ...request.place, account: request.account.id }, options, act)
  }

  /** In the same queue. */
  restoreDatabases(request: DatabasesRestore, options: Doing = {}): Promise<RestoreFindings> {
    const { onFailPoint, databases } = this.#places
    const act = () => restoreDatabases({ ...this.#roots, onFailPoint }, databases, request, options)
    return this.#alone({ ...request.place, account: request.account.id }, options, act)
  }

  /** Renames it first: a half-removed backup must not look complete. */
  removeBackup({ place }: { readonly place: BackupPlace }): Promise<void> {
    const { root } = this.#places
    return this.#alone(place, {}, async () => {
      await removeIndexes(this.#places.host, place)
      if (place.repository) await this.#forget(place.repository, place.backup)
      await rm(partialOf(root, place), { recursive: true, force: true })
      await rename(directoryOf(root, place), partialOf(root, place)).catch(unlessAbsent)
      await rm(partialOf(root, place), { recursive: true, force: true })
      await rmdir(folderOf(root, place)).catch(unlessRetained)
    })
  }

  validatePlace({ path }: Pick<Destination, 'path'>): Promise<void> {
    return path === undefined ? needRestic() : this.#validateDirectory({ path })
  }

  async testPlace({ path, repository }: Destination, { signal }: Doing = {}): Promise<void> {
    await this.#validateDirectory({ path })
    if (repository) await new Restic(repository, { host: this.#places.host, signal }).prepare('test')
    if (path !== undefined) await withUserMessage('stage', () => probeDirectory(path))
  }

  /** Removes what a crash left: keys for restic, and what was unpacked for trial. */
  async recover(): Promise<void> {
    for (const folder of [keyFolder(this.#places.host), trialFolder(this.#places.host)])
      await rm(folder, { recursive: true, force: true })
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

  /** Forgets an account's restores and indexes, once nothing uses its backups. */
  leave(account: string): Promise<void> {
    return this.#lock.run(account, async () => {
      forgetRestores(this.#places.host, account)
      await removeIndexesOf(this.#places.host, account)
    })
  }

  #alone<T>({ account }: BackupPlace, { signal }: Doing, act: () => Promise<T>): Promise<T> {
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
