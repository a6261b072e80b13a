import type { Migration } from '../../../store/migrate.ts'
import { sql as apps } from './0024-apps.ts'

export const migrations: readonly Migration[] = [{ name: '0024-apps', sql: apps }]
