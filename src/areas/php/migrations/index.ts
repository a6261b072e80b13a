import type { Migration } from '../../../store/migrate.ts'
import { sql as phpVersions } from './0058-php-versions.ts'

export const migrations: readonly Migration[] = [{ name: '0058-php-versions', sql: phpVersions }]
