import { join } from 'node:path'
import type { BackupPlace } from '../backups.ts'

/** The directory of a backup: below its account's, so that an account's move together. */
export const folderOf = (root: string, { account, path }: BackupPlace): string => join(path ?? root, account)
export const directoryOf = (root: string, place: BackupPlace): string => join(folderOf(root, place), place.backup)
/** Until it is complete. */
export const partialOf = (root: string, place: BackupPlace): string => `${directoryOf(root, place)}.partial`
