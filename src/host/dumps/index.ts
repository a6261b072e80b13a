import type { KeyedLock } from '../../shared/lock.ts'
import type { DumpExport, DumpExported, DumpImport, DumpImported } from '../contract/commands/dumps.ts'
import type { Doing } from '../contract/commands/index.ts'
import type { HostDumps } from '../contract/driver.ts'
import { withUserMessage } from '../install/user-message.ts'
import { exportDatabase } from './export.ts'
import { importDatabase } from './import.ts'
import type { DumpPlaces } from './places.ts'

/** Imports and exports of databases, one of an account at a time, and not during its backups and restores. */
export class Dumps implements HostDumps {
  readonly #places: DumpPlaces
  readonly #lock: KeyedLock

  constructor(places: DumpPlaces, lock: KeyedLock) {
    this.#places = places
    this.#lock = lock
  }

  importDatabase(request: DumpImport, options: Doing = {}): Promise<DumpImported> {
    return this.#alone(request.account.id, options, () => importDatabase(this.#places, request, options))
  }

  exportDatabase(request: DumpExport, options: Doing = {}): Promise<DumpExported> {
    return this.#alone(request.account.id, options, () => exportDatabase(this.#places, request, options))
  }

  #alone<T>(account: string, { signal }: Doing, act: () => Promise<T>): Promise<T> {
    return this.#lock.run(account, () => {
      signal?.throwIfAborted()
      return withUserMessage('stage', act)
    })
  }
}
