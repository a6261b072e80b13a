import type { Migration } from '../../../store/migrate.ts'
import { sql as email } from './0015-email.ts'
import { sql as mailFilters } from './0057-mail-filters.ts'
import { sql as mailLoops } from './0061-mail-loops.ts'

export const migrations: readonly Migration[] = [
  { name: '0015-email', sql: email },
  { name: '0057-mail-filters', sql: mailFilters },
  { name: '0061-mail-loops', sql: mailLoops },
]
