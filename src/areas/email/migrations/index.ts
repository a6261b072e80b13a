import type { Migration } from '../../../store/migrate.ts'
import { sql as email } from './0015-email.ts'

export const migrations: readonly Migration[] = [{ name: '0015-email', sql: email }]
