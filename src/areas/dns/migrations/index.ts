import type { Migration } from '../../../store/migrate.ts'
import { sql as zones } from './0012-zones.ts'

export const migrations: readonly Migration[] = [{ name: '0012-zones', sql: zones }]
