import type { Migration } from '../../../store/migrate.ts'
import { sql as accountSearch } from './0004-account-search.ts'
import { sql as generation } from './0008-generation.ts'
import { sql as lists } from './0009-lists.ts'
import { sql as atLeast } from './0010-at-least.ts'
import { sql as overQuota } from './0023-over-quota.ts'
import { sql as usageOrder } from './0059-usage-order.ts'
import { sql as importing } from './0066-importing.ts'
import { sql as ip6 } from './0070-ip6.ts'

export const migrations: readonly Migration[] = [
  { name: '0004-account-search', sql: accountSearch },
  { name: '0008-generation', sql: generation },
  { name: '0009-lists', sql: lists },
  { name: '0010-at-least', sql: atLeast },
  { name: '0023-over-quota', sql: overQuota },
  { name: '0059-usage-order', sql: usageOrder },
  { name: '0066-importing', sql: importing },
  { name: '0070-ip6', sql: ip6 },
]
