import type { Migration } from '../../../store/migrate.ts'
import { sql as alerts } from './0074-alerts.ts'

export const migrations: readonly Migration[] = [{ name: '0074-alerts', sql: alerts }]
