import type { Migration } from '../../../store/migrate.ts'
import { sql as domains } from './0011-domains.ts'
import { sql as allDomains } from './0029-all-domains.ts'
import { sql as verification } from './0043-verification.ts'
import { sql as siteRules } from './0049-site-rules.ts'
import { sql as contestedNames } from './0051-contested-names.ts'
import { sql as previews } from './0060-previews.ts'
import { sql as htaccessChecks } from './0064-htaccess-checks.ts'
import { sql as handlerApache } from './0069-handler-apache.ts'

export const migrations: readonly Migration[] = [
  { name: '0011-domains', sql: domains },
  { name: '0029-all-domains', sql: allDomains },
  { name: '0043-verification', sql: verification },
  { name: '0049-site-rules', sql: siteRules },
  { name: '0051-contested-names', sql: contestedNames },
  { name: '0060-previews', sql: previews },
  { name: '0064-htaccess-checks', sql: htaccessChecks },
  { name: '0069-handler-apache', sql: handlerApache },
]
