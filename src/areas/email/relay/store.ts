import { and, asc, eq, isNull, lte, or } from 'drizzle-orm'
import type { z } from 'zod'
import type { getDomainRelay } from '../../../contract/email.ts'
import { notFound } from '../../../contract/problem.ts'
import { present } from '../../../runtime/operations/list.ts'
import type { Db } from '../../../store/open.ts'
import type { DomainRow } from '../../domains/tables.ts'
import { type DomainRelayRow, domainRelays } from '../tables.ts'

export const relayOf = (db: Db, domain: string): DomainRelayRow | undefined =>
  db.select().from(domainRelays).where(eq(domainRelays.domain_id, domain)).get()

/** Whether its addresses were checked and are public. */
const isUsable = ({ checked_at, refused_since }: DomainRelayRow): boolean =>
  checked_at !== null && refused_since === null

export function usableRelayOf(db: Db, domain: string): DomainRelayRow | undefined {
  const row = relayOf(db, domain)
  return row && isUsable(row) ? row : undefined
}

export function foundRelay(db: Db, domain: string): DomainRelayRow {
  const row = relayOf(db, domain)
  if (!row) throw notFound('SMTP relay')
  return row
}

export const setRelay = (db: Db, domain: string, values: Partial<DomainRelayRow>): void =>
  void db.update(domainRelays).set(values).where(eq(domainRelays.domain_id, domain)).run()

/** Those that were not checked since then, the oldest first. */
export const relaysToCheck = (db: Db, before: number, max: number): DomainRelayRow[] =>
  db
    .select()
    .from(domainRelays)
    .where(or(isNull(domainRelays.checked_at), lte(domainRelays.checked_at, before)))
    .orderBy(asc(domainRelays.checked_at))
    .limit(max)
    .all()

/** Whether the row is still the one that was read. */
export const isUnchanged = (db: Db, { domain_id, host, updated_at }: DomainRelayRow): boolean =>
  db
    .select({ id: domainRelays.domain_id })
    .from(domainRelays)
    .where(
      and(eq(domainRelays.domain_id, domain_id), eq(domainRelays.host, host), eq(domainRelays.updated_at, updated_at)),
    )
    .get() !== undefined

/** Row to resource (contract: DomainRelay). */
export function toDomainRelay({ name }: DomainRow, row: DomainRelayRow): z.infer<(typeof getDomainRelay)['answer']> {
  const { host, port, tls, username, refused_since, created_at, updated_at } = row
  return {
    ...{ domain: name, host, port, tls, ...present({ username }), in_use: isUsable(row) },
    ...present({ refused_since }),
    ...{ created_at, updated_at },
  }
}
