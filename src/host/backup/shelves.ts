import type { BackupPlace } from '../backups.ts'
import { directoryOf } from './place.ts'
import { Restic } from './restic/restic.ts'
import { resticShelf } from './restic/shelf.ts'
import { localShelf, type Shelf } from './shelf.ts'

/** Where backups lie, and the host. */
export interface Roots {
  readonly backups: string
  readonly host: string
}

/** The files of a backup, wherever it is kept. */
export const shelfAt = async ({ backups, host }: Roots, place: BackupPlace, signal?: AbortSignal): Promise<Shelf> =>
  place.repository
    ? resticShelf(new Restic(place.repository, { host, signal }), place.backup)
    : localShelf(directoryOf(backups, place), signal)
