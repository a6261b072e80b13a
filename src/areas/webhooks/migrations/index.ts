import type { Migration } from '../../../store/migrate.ts'
import { sql as webhooks } from './0002-webhooks.ts'

export const migrations: readonly Migration[] = [{ name: '0002-webhooks', sql: webhooks }]
