import type { StoreParts } from '../../store/parts.ts'
import { migrations } from './migrations.ts'
import { purpose } from './password.ts'

export const stored: Partial<StoreParts> = {
  migrations,
  essential: ['mysql_databases', 'mysql_users', 'mysql_grants', 'mysql_hosts'],
  counts: { databases: 'SELECT count(*) FROM mysql_databases' },
  sealed: [{ table: 'mysql_users', column: 'password_hash', purpose }],
}
