import type { Migration } from '../../../store/migrate.ts'
import { sql as zones } from './0012-zones.ts'
import { sql as pastSerials } from './0028-past-serials.ts'

export const migrations: readonly Migration[] = [
  { name: '0012-zones', sql: zones },
  { name: '0028-past-serials', sql: pastSerials },
]
