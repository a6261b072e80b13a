import type { Migration } from '../migrate.ts'
import { sql as groundFloor } from './0001-ground-floor.ts'
import { sql as webhooks } from './0002-webhooks.ts'
import { sql as sessions } from './0003-sessions.ts'
import { sql as accountSearch } from './0004-account-search.ts'
import { sql as requestIds } from './0005-request-ids.ts'
import { sql as retention } from './0006-retention.ts'
import { sql as sessionRights } from './0007-session-rights.ts'
import { sql as generation } from './0008-generation.ts'
import { sql as lists } from './0009-lists.ts'
import { sql as atLeast } from './0010-at-least.ts'

/** In order; a released one is never edited. */
export const migrations: readonly Migration[] = [
  { name: '0001-ground-floor', sql: groundFloor },
  { name: '0002-webhooks', sql: webhooks },
  { name: '0003-sessions', sql: sessions },
  { name: '0004-account-search', sql: accountSearch },
  { name: '0005-request-ids', sql: requestIds },
  { name: '0006-retention', sql: retention },
  { name: '0007-session-rights', sql: sessionRights },
  { name: '0008-generation', sql: generation },
  { name: '0009-lists', sql: lists },
  { name: '0010-at-least', sql: atLeast },
]
