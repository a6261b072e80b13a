import type { Migration } from '../../../store/migrate.ts'
import { sql as apps } from './0025-apps.ts'

export const migrations: readonly Migration[] = [{ name: '0025-apps', sql: apps }]
