import type { Migration } from '../../../store/migrate.ts'
import { sql } from './0062-imports.ts'
import { sql as runs } from './0067-import-runs.ts'

export const migrations: readonly Migration[] = [
  { name: '0062-imports', sql },
  { name: '0067-import-runs', sql: runs },
]
