import type { Migration } from '../../../store/migrate.ts'
import { sql as figures } from './0026-figures.ts'

export const migrations: readonly Migration[] = [{ name: '0026-figures', sql: figures }]
