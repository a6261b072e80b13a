import type { Migration } from '../../../store/migrate.ts'
import { sql as customerEmails } from './0075-customer-emails.ts'

export const migrations: readonly Migration[] = [{ name: '0075-customer-emails', sql: customerEmails }]
