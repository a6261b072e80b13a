import { join } from 'node:path'
import type { BackupPlace } from '../contract/commands/backups.ts'

/** A backup's directory: below its account's, so that an account's backups move together. */
export const folderOf = (root: string, { account, path }: BackupPlace): string => join(path ?? root, account)
export const directoryOf = (root: string, place: BackupPlace): string => join(folderOf(root, place), place.backup)
/** The name until it is complete. */
export const partialOf = (root: string, place: BackupPlace): string => `${directoryOf(root, place)}.partial`
