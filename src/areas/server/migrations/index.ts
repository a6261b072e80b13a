import type { Migration } from '../../../store/migrate.ts'
import { sql as base } from './0001-ground-floor.ts'

export const migrations: readonly Migration[] = [{ name: '0001-ground-floor', sql: base }]
