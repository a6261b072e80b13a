import type { Migration } from '../../../store/migrate.ts'
import { sql as certificates } from './0013-certificates.ts'

export const migrations: readonly Migration[] = [{ name: '0013-certificates', sql: certificates }]
