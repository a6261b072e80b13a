import type { Migration } from '../../../store/migrate.ts'
import { sql as apps } from './0025-apps.ts'
import { sql as releaseWarnings } from './0052-release-warnings.ts'

export const migrations: readonly Migration[] = [
  { name: '0025-apps', sql: apps },
  { name: '0052-release-warnings', sql: releaseWarnings },
]
