import type { Migration } from '../../../store/migrate.ts'
import { sql as notices } from './0031-notices.ts'
import { sql as unresolved } from './0034-unmended.ts'

export const migrations: readonly Migration[] = [
  { name: '0031-notices', sql: notices },
  { name: '0034-unmended', sql: unresolved },
]
