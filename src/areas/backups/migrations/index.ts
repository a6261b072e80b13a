import type { Migration } from '../../../store/migrate.ts'
import { sql as backups } from './0018-backups.ts'

export const migrations: readonly Migration[] = [{ name: '0018-backups', sql: backups }]
