import type { Migration } from '../../../store/migrate.ts'
import { sql as mysql } from './0016-mysql.ts'

export const migrations: readonly Migration[] = [{ name: '0016-mysql', sql: mysql }]
