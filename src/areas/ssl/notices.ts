import { and, eq, ne, sql } from 'drizzle-orm'
import { day } from '../../shared/time.ts'
import { type Notices, noticeRowsOf } from '../accounts/objects/notice.ts'
import { domains } from '../domains/tables.ts'
import { autossl } from './acme/tables.ts'
import { certificates } from './tables.ts'

const faulty = {
  kind: 'certificate-failed',
  id: autossl.domain_id,
  account: domains.account_id,
  since: autossl.failing_since,
} as const

/** No notice while the certificate in use is valid for longer than this. */
const spare = 7 * day

const failed = noticeRowsOf(
  faulty,
  (db) =>
    db
      .select({
        domain: domains,
        since: autossl.failing_since,
        error: autossl.last_error,
        kind: certificates.kind,
        ends: certificates.not_after,
      })
      .from(autossl)
      .innerJoin(domains, eq(domains.id, autossl.domain_id))
      .leftJoin(certificates, and(eq(certificates.domain_id, domains.id), eq(certificates.used, true)))
      .$dynamic(),
  and(
    ne(domains.status, 'deleting'),
    sql`(${certificates.kind} = 'custom' AND ${certificates.created_at} >= ${autossl.last_attempt_at}) IS NOT 1`,
  ),
)

/** Certificates that the authority refused to issue, unless another was installed since. */
export const failedCertificates: Notices = ({ db, now }, scope) =>
  failed(db, scope).map(({ domain, since, error, kind, ends }) => ({
    kind: 'certificate-failed',
    severity: kind !== null && kind !== 'self_signed' && ends! > now + spare ? 'warn' : 'error',
    object: 'domain',
    object_id: domain.id,
    name: domain.name,
    detail: error ?? 'No certificate was issued.',
    since: since!,
    operation: 'issueCertificate',
    account_id: domain.account_id,
  }))
