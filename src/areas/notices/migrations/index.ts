import type { Migration } from '../../../store/migrate.ts'
import { sql as notices } from './0031-notices.ts'

export const migrations: readonly Migration[] = [{ name: '0031-notices', sql: notices }]
