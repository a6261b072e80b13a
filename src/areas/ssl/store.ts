import { and, asc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { certificateStatuses } from '../../contract/domains.ts'
import { notFound } from '../../contract/problem.ts'
import type { Certificate } from '../../contract/ssl.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Db } from '../../store/open.ts'
import { page, type Search } from '../../store/page.ts'
import { prepared } from '../../store/prepared.ts'
import { namesOf } from '../domains/names.ts'
import { type DomainRow, domains } from '../domains/tables.ts'
import { covers } from './certificate.ts'
import { soon, statusOf } from './status.ts'
import { type CertificateRow, certificates } from './tables.ts'

/** A certificate with its domain. */
export type FullCertificate = CertificateRow & Pick<DomainRow, 'name'> & { domain_kind: DomainRow['kind'] }

const selection = { ...getTableColumns(certificates), name: domains.name, domain_kind: domains.kind }

const joined = (db: Db) =>
  db.select(selection).from(certificates).innerJoin(domains, eq(domains.id, certificates.domain_id)).$dynamic()

const queries = prepared((db: Db) => ({
  used: db
    .select()
    .from(certificates)
    .where(and(eq(certificates.domain_id, sql.placeholder('domain')), sql`${certificates.used} = 1`))
    .prepare(),
  served: joined(db)
    .where(
      and(
        eq(certificates.account_id, sql.placeholder('account')),
        sql`${certificates.used} = 1`,
        sql`${domains.status} <> 'deleting'`,
      ),
    )
    .orderBy(asc(domains.id))
    .prepare(),
}))

/** The certificate that a domain's site uses. */
export const usedBy = (db: Db, domain: Pick<DomainRow, 'id'>): CertificateRow | undefined =>
  queries(db).used.get({ domain: domain.id })

/** Whether an authority vouches for its names: that of this server, or one that clients know. */
export const provesNames = ({ kind, trusted }: Pick<CertificateRow, 'kind' | 'trusted'>): boolean =>
  kind === 'acme' || trusted

/** The certificate in use, or 404 `not-found` if the account has none with this id. */
export function findCertificate({ db }: Context, accountId: string, id: string): FullCertificate {
  const found = joined(db)
    .where(and(eq(certificates.id, id), eq(certificates.account_id, accountId), eq(certificates.used, true)))
    .get()
  if (!found) throw notFound('certificate')
  return found
}

type Status = (typeof certificateStatuses)[number]

export function listCertificates(
  { db, now }: Context,
  accountId: string,
  { status, ...search }: Search & { readonly status?: Status },
): { items: FullCertificate[]; total: number } {
  const where = and(eq(certificates.account_id, accountId), eq(certificates.used, true), inStatus(status, now))
  const table = sql`certificates JOIN domains ON domains.id = certificates.domain_id`
  return page(db, { rows: joined(db), table: table as never, id: certificates.id, where, name: domains.name }, search)
}

function inStatus(status: Status | undefined, now: number): SQL | undefined {
  const { not_after, not_before } = certificates
  const ends = sql`${not_after} <= ${now}`
  const near = sql`${not_after} - ${now} <= min(${soon}, (${not_after} - ${not_before}) / 6.0)`
  if (status === 'expired') return ends
  if (status === 'expiring') return sql`NOT ${ends} AND ${near}`
  return status && sql`NOT ${near}`
}

/** All certificates that the host should have, with their domains. */
export const certificatesOf = (db: Db, accountId: string): FullCertificate[] =>
  queries(db).served.all({ account: accountId })

/** Row to resource (contract: Certificate). */
export function toCertificate(row: FullCertificate, now: number): z.infer<typeof Certificate> {
  const served = namesOf({ name: row.name, kind: row.domain_kind })
  return {
    id: row.id,
    domain_id: row.domain_id,
    domain: row.name,
    kind: row.kind,
    domains: row.domains,
    uncovered: served.filter((name) => !covers(row.domains, name)),
    subject: row.subject,
    issuer: row.issuer,
    serial_number: row.serial_number,
    key_type: row.key_type,
    not_before: row.not_before,
    not_after: row.not_after,
    fingerprint_sha256: row.fingerprint_sha256,
    status: statusOf(row, now),
    trusted: row.trusted,
    created_at: row.created_at,
  }
}
