import type { Migration } from '../../../store/migrate.ts'
import { sql as mysql } from './0016-mysql.ts'
import { sql as dumps } from './0063-mysql-dumps.ts'

export const migrations: readonly Migration[] = [
  { name: '0016-mysql', sql: mysql },
  { name: '0063-mysql-dumps', sql: dumps },
]
