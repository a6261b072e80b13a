import type { Migration } from '../../../store/migrate.ts'
import { sql as brands } from './0032-brands.ts'

export const migrations: readonly Migration[] = [{ name: '0032-brands', sql: brands }]
