import type { BackupPlace } from '../backups.ts'
import { directoryOf } from './place.ts'
import { Restic } from './restic/restic.ts'
import { resticShelf } from './restic/shelf.ts'
import { localShelf, type Shelf } from './shelf.ts'

/** The roots of backups and of the host. */
export interface Roots {
  readonly backups: string
  readonly host: string
}

/** A backup's files, wherever they are stored. */
export const shelfAt = async ({ backups, host }: Roots, place: BackupPlace, signal?: AbortSignal): Promise<Shelf> =>
  place.repository
    ? resticShelf(new Restic(place.repository, { host, signal }), place.backup)
    : localShelf(directoryOf(backups, place), signal)
