import type { Migration } from '../../../store/migrate.ts'
import { sql as domains } from './0011-domains.ts'
import { sql as allDomains } from './0029-all-domains.ts'
import { sql as verification } from './0043-verification.ts'
import { sql as siteRules } from './0049-site-rules.ts'
import { sql as contestedNames } from './0051-contested-names.ts'

export const migrations: readonly Migration[] = [
  { name: '0011-domains', sql: domains },
  { name: '0029-all-domains', sql: allDomains },
  { name: '0043-verification', sql: verification },
  { name: '0049-site-rules', sql: siteRules },
  { name: '0051-contested-names', sql: contestedNames },
]
