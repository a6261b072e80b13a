import type { BackupPartName } from '../contract/backups.ts'

/** The part of a backup that a file belongs to. */
export function partOf(name: string): BackupPartName {
  if (name.startsWith('dns/')) return 'dns'
  if (name.startsWith('db/')) return 'mysql'
  return name === 'account.json' ? 'config' : (name.split('.')[0] as 'files' | 'mail')
}

/** The database that a file of a backup has. */
export const databaseIn = (name: string): string => name.slice('db/'.length).replace(/\.sql\.[a-z]+$/, '')
