import { count, eq } from 'drizzle-orm'
import type { Db } from '../../store/open.ts'
import type { DomainUse } from '../domains/part.ts'
import type { DomainRow } from '../domains/tables.ts'
import { forwarders, mailboxes } from './tables.ts'

/** How many rows of a table are at a domain. */
export const countAt = (db: Db, table: typeof mailboxes | typeof forwarders, domain: string): number =>
  db.select({ total: count() }).from(table).where(eq(table.domain_id, domain)).get()!.total

/** What prevents a domain's deletion. */
export const usesOf = (db: Db, { id }: DomainRow): DomainUse[] => [
  { count: countAt(db, mailboxes, id), noun: 'mailbox', nouns: 'mailboxes' },
  { count: countAt(db, forwarders, id), noun: 'forwarder' },
]
