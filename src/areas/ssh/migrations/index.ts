import type { Migration } from '../../../store/migrate.ts'
import { sql as ssh } from './0014-ssh.ts'

export const migrations: readonly Migration[] = [{ name: '0014-ssh', sql: ssh }]
