import type { BackupPlace } from '../contract/commands/backups.ts'
import { directoryOf } from './place.ts'
import { type BackupReader, localReader } from './reader.ts'
import { resticReader } from './restic/reader.ts'
import { Restic } from './restic/restic.ts'

/** The roots of backups and of the host. */
export interface Roots {
  readonly backups: string
  readonly host: string
}

/** A backup's files, wherever they are stored. */
export const readerAt = async (
  { backups, host }: Roots,
  place: BackupPlace,
  signal?: AbortSignal,
): Promise<BackupReader> =>
  place.repository
    ? resticReader(new Restic(place.repository, { host, signal }), place.backup)
    : localReader(directoryOf(backups, place), signal)
