import { sql } from 'drizzle-orm'
import type { z } from 'zod'
import type * as declared from '../../contract/notices.ts'
import type { Notice } from '../../contract/notices.ts'
import type { Input } from '../../contract/operation.ts'
import { notFound } from '../../contract/problem.ts'
import { isRoot } from '../../runtime/operations/actor.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import type { Db } from '../../store/open.ts'
import { prepared } from '../../store/prepared.ts'
import type { NoticeData, NoticeScope } from '../accounts/objects/notice.ts'
import { partsOf } from '../accounts/objects/part.ts'
import { accounts } from '../accounts/tables.ts'
import { commandsOf } from './commands.ts'
import { dismissals } from './tables.ts'

const queries = prepared((db: Db) => ({
  named: db
    .select({ id: accounts.id, username: accounts.username })
    .from(accounts)
    .where(sql`${accounts.id} IN (SELECT value FROM json_each(${sql.placeholder('ids')}))`)
    .prepare(),
}))

/** Adds the current names of the notices' accounts, and the commands. */
function withUsernames(db: Db, notices: readonly NoticeData[]): z.infer<typeof Notice>[] {
  const ids = [...new Set(notices.flatMap(({ account_id }) => account_id ?? []))]
  const names = new Map(
    queries(db)
      .named.all({ ids: JSON.stringify(ids) })
      .map(({ id, username }) => [id, username]),
  )
  return notices.map((notice) => {
    const username = names.get(notice.account_id ?? '')
    const named = { ...notice, ...(username !== undefined && { username }) }
    return { ...named, ...commandsOf(named) }
  })
}

type NoticeListQuery = Input<typeof declared.listNotices>['query']
type Dismissal = Input<typeof declared.dismissNotice>['body']

const weight = { error: 0, warn: 1 } as const

/** Errors first, then newest first. */
const inOrder = (a: NoticeData, b: NoticeData): number => weight[a.severity] - weight[b.severity] || b.since - a.since

const noticesIn = (ctx: Context, scope: NoticeScope): NoticeData[] =>
  partsOf(ctx.runtime)
    .flatMap(({ notices }) => notices?.(ctx, scope) ?? [])
    .sort(inOrder)

function list(ctx: Context, { kind, severity, limit }: NoticeListQuery, scope: Omit<NoticeScope, 'limit'>) {
  // One extra tells whether there are more.
  const found = noticesIn(ctx, { ...scope, limit: severity === undefined ? limit + 1 : MAX_NOTICES })
  const matching = found.filter((one) => (kind ?? one.kind) === one.kind && (severity ?? one.severity) === one.severity)
  return { items: withUsernames(ctx.db, matching.slice(0, limit)), more: matching.length > limit }
}

/** The maximum per kind when filtering. */
const MAX_NOTICES = 501

const reachOf = ({ actor }: Context) => (isRoot(actor) ? {} : { owner: actor.id })

const listNotices: Handler<typeof declared.listNotices> = {
  handle: (ctx, { query }) => list(ctx, query, reachOf(ctx)),
}

const listNoticesForAccount: Handler<typeof declared.listNoticesForAccount> = {
  handle: (ctx, { query }) => list(ctx, query, { account: ctx.found.account.id }),
}

/** Dismisses a notice until it recurs; 404 `not-found` if it no longer exists. */
function dismiss(ctx: Context, { kind, object_id }: Dismissal, among: readonly NoticeData[]): void {
  const notice = among.find((one) => one.kind === kind && one.object_id === object_id)
  if (!notice) throw notFound('notice')
  const { since, account_id = null } = notice
  ctx.db
    .insert(dismissals)
    .values({ kind, object_id, since, account_id })
    .onConflictDoUpdate({ target: [dismissals.kind, dismissals.object_id], set: { since } })
    .run()
  ctx.note({ object_id, after: { kind, name: notice.name } })
}

const dismissNotice: Handler<typeof declared.dismissNotice> = {
  handle(ctx, { body }) {
    const others = noticesIn(ctx, { ...reachOf(ctx), limit: MAX_NOTICES }).filter(
      ({ account_id }) => account_id === undefined,
    )
    dismiss(ctx, body, others)
    return undefined
  },
}

const dismissNoticeForAccount: Handler<typeof declared.dismissNoticeForAccount> = {
  handle(ctx, { body }) {
    const { account } = ctx.found
    ctx.note({ account })
    dismiss(ctx, body, noticesIn(ctx, { account: account.id, limit: MAX_NOTICES }))
    return undefined
  },
}

export const noticeOperations = { listNotices, dismissNotice, listNoticesForAccount, dismissNoticeForAccount }
