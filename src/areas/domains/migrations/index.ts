import type { Migration } from '../../../store/migrate.ts'
import { sql as domains } from './0011-domains.ts'

export const migrations: readonly Migration[] = [{ name: '0011-domains', sql: domains }]
