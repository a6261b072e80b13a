import type { Migration } from '../../../store/migrate.ts'
import { sql as ftp } from './0019-ftp.ts'

export const migrations: readonly Migration[] = [{ name: '0019-ftp', sql: ftp }]
