import { and, desc, eq, ne, sql } from 'drizzle-orm'
import { maxRows, type NoticeData, type Notices, undismissed, withinReach } from '../../accounts/objects/notice.ts'
import { domains } from '../tables.ts'
import { challengeLabel, challengeValue } from './challenge.ts'
import { contestedNotices } from './contested.ts'
import { lostNames, verifications } from './tables.ts'

const kind = 'domain-unproven'

type ProofReaders = 'account' | 'owner' | 'all'

const inReach = (account: typeof verifications.account_id | typeof lostNames.account_id, reach: ProofReaders) =>
  reach === 'account'
    ? eq(account, sql.placeholder('account'))
    : reach === 'owner'
      ? sql`(SELECT owner_id FROM accounts AS owned WHERE owned.id = ${account}) = ${sql.placeholder('owner')}`
      : undefined

const unverified = withinReach((db, reach) =>
  db
    .select({ row: verifications, name: domains.name })
    .from(verifications)
    .innerJoin(domains, eq(domains.id, verifications.domain_id))
    .where(
      and(
        sql`${verifications.notice_at} IS NOT NULL AND ${verifications.notice_at} <= ${sql.placeholder('now')}`,
        ne(domains.status, 'deleting'),
        inReach(verifications.account_id, reach),
        undismissed(kind, verifications.domain_id, verifications.notice_at),
      ),
    )
    .orderBy(desc(verifications.notice_at), desc(verifications.domain_id))
    .limit(maxRows)
    .prepare(),
)

const lost = withinReach((db, reach) =>
  db
    .select()
    .from(lostNames)
    .where(and(inReach(lostNames.account_id, reach), undismissed(kind, lostNames.domain_id, lostNames.lost_at)))
    .orderBy(desc(lostNames.lost_at), desc(lostNames.domain_id))
    .limit(maxRows)
    .prepare(),
)

const warning = (
  about: Pick<NoticeData, 'object_id' | 'name' | 'detail' | 'since'>,
  account_id: string,
): NoticeData => ({
  kind,
  severity: 'warn',
  object: 'domain',
  operation: 'verifyDomain',
  account_id,
  ...about,
})

/** Unverified domains, and domains lost because another account proved to own them. */
export const verificationNotices: Notices = (ctx, scope) => [...ownNotices(ctx, scope), ...contestedNotices(ctx, scope)]

const ownNotices: Notices = ({ db, now }, scope) => [
  ...unverified(db, scope, { now }).map(({ row, name }) => {
    const until = row.verified_by === null ? 'is not verified' : 'will not stay verified'
    const record = `${challengeLabel}.${name} TXT ${challengeValue(db, row.account_id, name)}`
    const detail = `${name} ${until}. ${row.reason} Set its name servers to this server's, or add ${record}.`
    return warning({ object_id: row.domain_id, name, detail, since: row.notice_at! }, row.account_id)
  }),
  ...lost(db, scope).map(({ domain_id, name, account_id, lost_at }) => {
    const detail = `Another account showed that ${name} is its own, so this account no longer has it; its files stay.`
    return warning({ object_id: domain_id, name, detail, since: lost_at }, account_id)
  }),
]
