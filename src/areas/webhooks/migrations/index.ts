import type { Migration } from '../../../store/migrate.ts'
import { sql as webhooks } from './0002-webhooks.ts'
import { sql as answers } from './0053-answers.ts'

export const migrations: readonly Migration[] = [
  { name: '0002-webhooks', sql: webhooks },
  { name: '0053-answers', sql: answers },
]
