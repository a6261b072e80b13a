import type { Migration } from '../../../store/migrate.ts'
import { sql } from './0062-imports.ts'
import { sql as runs } from './0067-import-runs.ts'
import { sql as former } from './0072-import-former.ts'
import { sql as uploads } from './0073-import-uploads.ts'

export const migrations: readonly Migration[] = [
  { name: '0062-imports', sql },
  { name: '0067-import-runs', sql: runs },
  { name: '0072-import-former', sql: former },
  { name: '0073-import-uploads', sql: uploads },
]
