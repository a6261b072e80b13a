import { and, desc, eq, gt, lte, sql } from 'drizzle-orm'
import type { Context } from '../../../runtime/operations/context.ts'
import { day } from '../../../shared/time.ts'
import { type Notices, undismissed } from '../../accounts/objects/notice.ts'
import { accountById } from '../../accounts/store.ts'
import type { DomainRow } from '../tables.ts'
import { domains } from '../tables.ts'
import { contestedNames } from './tables.ts'

const REPEAT_INTERVAL_MS = day
const RETENTION_MS = 30 * day
/** The newest are kept. */
const MAX_ROWS = 1000

const kind = 'domain-claimed'

/**
 * Records, in a change of its own since the claim is refused, that an account tried to claim another's main domain: once
 * a day for each domain and account.
 */
export async function noteContested(ctx: Context, account_id: string, domain: DomainRow): Promise<void> {
  const mine = and(eq(contestedNames.domain_id, domain.id), eq(contestedNames.account_id, account_id))
  const lately = and(mine, gt(contestedNames.claimed_at, ctx.now - REPEAT_INTERVAL_MS))
  if (ctx.db.select().from(contestedNames).where(lately).get()) return
  await ctx.store.change(() => {
    const row = { domain_id: domain.id, account_id, name: domain.name, claimed_at: ctx.now }
    const target = [contestedNames.domain_id, contestedNames.account_id]
    ctx.db.insert(contestedNames).values(row).onConflictDoUpdate({ target, set: row }).run()
    ctx.db
      .delete(contestedNames)
      .where(lte(contestedNames.claimed_at, ctx.now - RETENTION_MS))
      .run()
    const beyond = sql`SELECT rowid FROM contested_names ORDER BY claimed_at DESC LIMIT -1 OFFSET ${MAX_ROWS}`
    ctx.db.delete(contestedNames).where(sql`rowid IN (${beyond})`).run()
  })
}

/** For root alone: neither account learns of the other. */
export const contestedNotices: Notices = ({ db, now }, { account, owner, limit }) => {
  if (account !== undefined || owner !== undefined) return []
  const rows = db
    .select({ row: contestedNames, name: domains.name })
    .from(contestedNames)
    .innerJoin(domains, eq(domains.id, contestedNames.domain_id))
    .where(
      and(
        gt(contestedNames.claimed_at, now - RETENTION_MS),
        undismissed(kind, contestedNames.domain_id, contestedNames.claimed_at),
      ),
    )
    .orderBy(desc(contestedNames.claimed_at))
    .limit(limit)
    .all()
  const seen = new Set<string>()
  return rows
    .filter(({ row }) => !seen.has(row.domain_id) && seen.add(row.domain_id))
    .map(({ row, name }) => {
      const claimant = accountById(db, row.account_id)?.username ?? 'an account'
      const detail = `${claimant} tried to claim ${name}, which is another account's main domain and not verified. Ask both for proof; then change that account's main domain, or verify it: panel domains set-verified ${name} true.`
      const about = { object_id: row.domain_id, name, detail, since: row.claimed_at, operation: 'setDomainVerified' }
      return { kind, severity: 'warn', object: 'domain', ...about }
    })
}
