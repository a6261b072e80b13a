import type { Migration } from '../../../store/migrate.ts'
import { sql as mailMessages } from './0055-mail-messages.ts'

export const migrations: readonly Migration[] = [{ name: '0055-mail-messages', sql: mailMessages }]
