import type { NoticeKind } from '../../../contract/notices.ts'
import { type NoticeData, type Notices, noticeRowsOf, percentOf } from '../objects/notice.ts'
import { type AccountRow, accounts } from '../tables.ts'

interface Figure {
  readonly kind: NoticeKind
  readonly since: 'disk_near_since' | 'inodes_near_since' | 'bw_near_since'
  readonly used: 'disk_used_mb' | 'inodes_used' | 'bw_used_month_mb'
  readonly limit: 'disk_quota_mb' | 'inodes_limit' | 'bw_limit_mb'
  readonly what: string
}

const figures: readonly Figure[] = [
  {
    kind: 'disk-nearly-full',
    since: 'disk_near_since',
    used: 'disk_used_mb',
    limit: 'disk_quota_mb',
    what: 'MB of disk space',
  },
  {
    kind: 'inodes-nearly-used',
    since: 'inodes_near_since',
    used: 'inodes_used',
    limit: 'inodes_limit',
    what: 'files and directories',
  },
  {
    kind: 'bandwidth-nearly-used',
    since: 'bw_near_since',
    used: 'bw_used_month_mb',
    limit: 'bw_limit_mb',
    what: 'MB of bandwidth this month',
  },
]

const limitQueries = figures.map((figure) => {
  const faulty = { kind: figure.kind, id: accounts.id, account: accounts.id, since: accounts[figure.since] }
  return { figure, near: noticeRowsOf(faulty, (db) => db.select().from(accounts).$dynamic()) }
})

/** Accounts that use 80 % of their disk space, or 90 % of another limit. */
export const nearLimits: Notices = ({ db }, scope) =>
  limitQueries.flatMap(({ figure, near }) => near(db, scope).map((account) => noticeOf(account, figure)))

function noticeOf(account: AccountRow, { kind, since, used: field, limit: limitValue, what }: Figure): NoticeData {
  const [used, limit] = [account[field], account[limitValue]!]
  return {
    kind,
    severity: used >= limit ? 'error' : 'warn',
    object: 'account',
    object_id: account.id,
    name: account.username,
    detail: `The account uses ${used} of ${limit} ${what}: ${percentOf(used, limit)} %.`,
    since: account[since]!,
    operation: 'updateAccount',
    account_id: account.id,
  }
}
