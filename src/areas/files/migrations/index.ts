import type { Migration } from '../../../store/migrate.ts'
import { sql as uploads } from './0020-uploads.ts'

export const migrations: readonly Migration[] = [{ name: '0020-uploads', sql: uploads }]
