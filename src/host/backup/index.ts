import { rename, rm, rmdir } from 'node:fs/promises'
import { KeyedLock } from '../../shared/lock.ts'
import type { AccountName } from '../account.ts'
import type {
  BackupCheck,
  BackupDownload,
  BackupOptions,
  BackupOrder,
  BackupPlace,
  HostBackups,
  PartRestore,
} from '../backups.ts'
import type { Faults } from '../install/engine.ts'
import { withUserMessage } from '../install/user-message.ts'
import { check, readTexts } from './check.ts'
import { openDownload } from './download.ts'
import type { SavedHome } from './home.ts'
import { forgetRestores } from './journal.ts'
import { make } from './make.ts'
import { directoryOf, folderOf, partialOf } from './place.ts'
import { restorePart } from './restore.ts'

/** Where backups and homes lie. */
export interface Places {
  readonly root: string
  /** The root of the host. */
  readonly host: string
  /** The directory of all homes. */
  readonly homes: string
  /** An account's home; throws before its first apply. */
  homeOf(account: AccountName): SavedHome
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
    return this.#alone(order.place, options, () =>
      make(this.#places.root, this.#places.homeOf(order.account), order, options, this.#places.faults),
    )
  }

  check(wanted: BackupCheck, options: BackupOptions = {}) {
    return this.#alone(wanted.place, options, () =>
      check(this.#places.root, wanted.into && this.#places.homes, wanted, options),
    )
  }

  read(wanted: BackupCheck) {
    return this.#alone(wanted.place, {}, () => readTexts(this.#places.root, wanted))
  }

  /** Out of turn: what is whole does not change, and the panel keeps it from being deleted. */
  open(wanted: BackupDownload) {
    return withUserMessage('stage', () => openDownload(this.#places.root, wanted))
  }

  /** In the turn of who it is restored to: a new account has none of the old one's backups. */
  restore(wanted: PartRestore, options: BackupOptions = {}): Promise<void> {
    const { root: backups, host, faults } = this.#places
    const act = () => restorePart({ backups, host, faults }, this.#places.homeOf(wanted.account), wanted, options)
    return this.#alone({ ...wanted.place, account: wanted.account.id }, options, act)
  }

  /** First it loses its name: what is half removed must not look whole. */
  remove(place: BackupPlace): Promise<void> {
    const { root } = this.#places
    return this.#alone(place, {}, async () => {
      await rm(partialOf(root, place), { recursive: true, force: true })
      await rename(directoryOf(root, place), partialOf(root, place)).catch(unlessAbsent)
      await rm(partialOf(root, place), { recursive: true, force: true })
      await rmdir(folderOf(root, place)).catch(unlessKept)
    })
  }

  /** Once nothing is done with the backups of an account: its restores are forgotten. */
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
