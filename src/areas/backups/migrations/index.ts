import type { Migration } from '../../../store/migrate.ts'
import { sql as backups } from './0018-backups.ts'
import { sql as restores } from './0022-restores.ts'
import { sql as destinations } from './0024-destinations.ts'
import { sql as secrets } from './0027-backup-secrets.ts'
import { sql as databases } from './0033-restored-databases.ts'
import { sql as trials } from './0054-backup-trials.ts'

export const migrations: readonly Migration[] = [
  { name: '0018-backups', sql: backups },
  { name: '0022-restores', sql: restores },
  { name: '0024-destinations', sql: destinations },
  { name: '0027-backup-secrets', sql: secrets },
  { name: '0033-restored-databases', sql: databases },
  { name: '0054-backup-trials', sql: trials },
]
