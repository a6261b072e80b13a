import { eq, ne } from 'drizzle-orm'
import { type Notices, noticeRowsOf } from '../../accounts/objects/notice.ts'
import { domains, htaccessChecks } from '../tables.ts'

const ignored = {
  kind: 'htaccess-ignored',
  id: htaccessChecks.domain_id,
  account: domains.account_id,
  since: htaccessChecks.ignored_since,
} as const

const ignoring = noticeRowsOf(
  ignored,
  (db) =>
    db
      .select({ domain: domains, since: htaccessChecks.ignored_since })
      .from(htaccessChecks)
      .innerJoin(domains, eq(domains.id, htaccessChecks.domain_id))
      .$dynamic(),
  ne(domains.status, 'deleting'),
)

/** Sites whose `.htaccess` files have access rules that take no effect. */
export const htaccessNotices: Notices = ({ db }, scope) =>
  ignoring(db, scope).map(({ domain, since }) => ({
    kind: ignored.kind,
    severity: 'warn',
    object: 'domain',
    object_id: domain.id,
    name: domain.name,
    detail: `Access rules in .htaccess files of ${domain.name} take no effect: what they protect is public. ${remedies[domain.handler] ?? remedy}`,
    since: since!,
    operation: 'updateDomain',
    account_id: domain.account_id,
  }))

const remedy = 'Choose the handler apache, or set its access rules.'
const remedies: Readonly<Partial<Record<string, string>>> = {
  apache: 'Remove what Apache does not know, or set the access rules of the domain.',
}
