import type { Migration } from '../../../store/migrate.ts'
import { sql as grants } from './0071-grants.ts'

export const migrations: readonly Migration[] = [{ name: '0071-grants', sql: grants }]
