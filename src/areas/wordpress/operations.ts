import { and, eq, getTableColumns, inArray, type SQL, sql } from 'drizzle-orm'
import type { Input } from '../../contract/operation.ts'
import { invalid } from '../../contract/problem.ts'
import type * as declared from '../../contract/wordpress.ts'
import { unfinishedJob } from '../../runtime/jobs/queue.ts'
import { isRoot } from '../../runtime/operations/actor.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { page } from '../../store/page.ts'
import { accounts } from '../accounts/tables.ts'
import { refuseBusy } from './busy.ts'
import { setWordpressMaintenance } from './change.ts'
import { contentOperations } from './content.ts'
import { installWordpress } from './install/operation.ts'
import { createWordpressLink } from './sign-in.ts'
import { domainName, setSite, sitesOf } from './store.ts'
import { type WordpressRow, wordpressSites } from './tables.ts'
import { undoWordpress, updateWordpress } from './update/operations.ts'
import { toSite } from './view.ts'

const listWordpress: Handler<typeof declared.listWordpress> = {
  handle(ctx, { query }) {
    const { items, total } = sitesOf.page(ctx, ctx.found.account.id, query)
    return { items: items.map((row) => toSite(ctx, row)), total }
  },
}

const username = sql<string>`(SELECT ${accounts.username} FROM ${accounts} WHERE ${accounts.id} = ${wordpressSites.account_id})`

const listAllWordpress: Handler<typeof declared.listAllWordpress> = {
  handle(ctx, { query }) {
    const rows = ctx.db
      .select({ ...getTableColumns(wordpressSites), username })
      .from(wordpressSites)
      .$dynamic()
    const listed = { rows, table: wordpressSites, id: wordpressSites.id, where: whereOf(ctx, query), name: domainName }
    const { items, total } = page(ctx.db, listed, query)
    return { items: items.map((row) => ({ ...toSite(ctx, row), username: row.username })), total }
  },
}

type Filters = Input<typeof declared.listAllWordpress>['query']

function whereOf({ db, actor }: Context, { owner_id, version, updates, status }: Filters): SQL | undefined {
  const ownedBy = (owner: string): SQL =>
    inArray(
      wordpressSites.account_id,
      db.select({ id: accounts.id }).from(accounts).where(eq(accounts.owner_id, owner)),
    )
  return and(
    isRoot(actor) ? undefined : ownedBy(actor.id),
    owner_id ? ownedBy(owner_id) : undefined,
    version ? eq(wordpressSites.version, version) : undefined,
    status ? eq(wordpressSites.status, status) : undefined,
    updates === undefined ? undefined : updates ? hasUpdates : sql`NOT ${hasUpdates}`,
  )
}

const hasUpdates = sql`(${wordpressSites.core_update} IS NOT NULL OR ${wordpressSites.plugin_updates} > 0 OR ${wordpressSites.theme_updates} > 0)`

const getWordpress: Handler<typeof declared.getWordpress> = { handle: (ctx) => toSite(ctx, ctx.found.wordpress) }

const scanWordpress: Handler<typeof declared.scanWordpress> = {
  handle(ctx) {
    const { account } = ctx.found
    ctx.note({ account })
    return { job_id: ctx.enqueue({ kind: 'wordpress.scan', account, lane: `wordpress:${account.id}` }) }
  },
}

const updateWordpressSettings: Handler<typeof declared.updateWordpressSettings> = {
  handle(ctx, { body: { auto_update, window } }) {
    const { account, wordpress } = ctx.found
    refuseBusy(wordpress)
    const values = {
      ...(auto_update && { auto_update }),
      ...(window !== undefined && { window_day: window?.day ?? null, window_hour: window?.hour ?? null }),
    }
    setSite(ctx, wordpress.id, values)
    const after = { ...wordpress, ...values }
    ctx.note({ account, object_id: wordpress.id, before: noted(wordpress), after: noted(after) })
    return toSite(ctx, after)
  },
}

const deleteWordpress: Handler<typeof declared.deleteWordpress> = {
  handle(ctx, { query: { confirm } }) {
    const { account, wordpress } = ctx.found
    const { url } = toSite(ctx, wordpress)
    if (confirm !== url) throw invalid('confirm', `must be ${url}`)
    const running = unfinishedJob(ctx.runtime, account.id, 'wordpress.delete', wordpress.id)
    if (running) return { site: toSite(ctx, wordpress), job_id: running.id }
    refuseBusy(wordpress)
    setSite(ctx, wordpress.id, { status: 'deleting' })
    ctx.note({ account, object_id: wordpress.id, before: { url } })
    const lane = `wordpress:${wordpress.id}`
    const job_id = ctx.enqueue({ kind: 'wordpress.delete', account, object_id: wordpress.id, lane })
    return { site: toSite(ctx, { ...wordpress, status: 'deleting' }), job_id }
  },
}

const noted = ({ auto_update, window_day, window_hour }: WordpressRow) => ({ auto_update, window_day, window_hour })

export const wordpressOperations = {
  listWordpress,
  listAllWordpress,
  scanWordpress,
  getWordpress,
  updateWordpressSettings,
  deleteWordpress,
  installWordpress,
  setWordpressMaintenance,
  updateWordpress,
  undoWordpress,
  ...contentOperations,
  createWordpressLink,
}
