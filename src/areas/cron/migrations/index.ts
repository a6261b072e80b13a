import type { Migration } from '../../../store/migrate.ts'
import { sql as cron } from './0021-cron.ts'

export const migrations: readonly Migration[] = [{ name: '0021-cron', sql: cron }]
