import type { Input } from '../../../contract/operation.ts'
import { Problem } from '../../../contract/problem.ts'
import type * as declared from '../../../contract/wordpress-update.ts'
import type { AccountName, Context } from '../../../runtime/operations/context.ts'
import type { Handler } from '../../../runtime/operations/run.ts'
import { fullAccount } from '../../accounts/store.ts'
import { refuseToRun } from '../busy.ts'
import { setSite } from '../store.ts'
import type { WordpressRow } from '../tables.ts'
import { toSite } from '../view.ts'
import { updateOf } from './store.ts'

type Body = Input<typeof declared.updateWordpress>['body']

export const updateWordpress: Handler<typeof declared.updateWordpress> = {
  handle(ctx, { body }) {
    const { account, wordpress } = ctx.found
    refuseToRun(fullAccount(ctx), wordpress)
    ctx.note({ account, object_id: wordpress.id, after: body })
    return accepted(ctx, wordpress, startUpdate(ctx, account, wordpress, body))
  },
}

const accepted = (ctx: Context, site: WordpressRow, job_id: string) => ({
  site: toSite(ctx, { ...site, status: 'working' }),
  job_id,
})

/** Marks the site as being worked on; its job makes the updates. */
export function startUpdate(ctx: Context, account: AccountName, site: WordpressRow, body: Body): string {
  setSite(ctx, site.id, { status: 'working' })
  return ctx.enqueue({
    ...{ kind: 'wordpress.update', account, object_id: site.id, lane: `wordpress:${site.id}` },
    payload: payloadOf(body),
  })
}

/** Everything, if nothing is named. */
function payloadOf({ safe = true, pages = [], ...named }: Body): Record<string, string> {
  const { core, plugins, themes } = Object.keys(named).length > 0 ? named : everything
  return {
    ...(core !== undefined && { core: String(core) }),
    ...(plugins !== undefined && { plugins: textOf(plugins) }),
    ...(themes !== undefined && { themes: textOf(themes) }),
    safe: String(safe),
    pages: JSON.stringify(pages),
  }
}

const everything = { core: true, plugins: 'all', themes: 'all' } as const

/** `all`, or each name after a comma. */
const textOf = (names: 'all' | readonly string[]): string =>
  names === 'all' || (names.length === 1 && names[0] === 'all')
    ? 'all'
    : [...new Set(names)].map((name) => `,${name}`).join('')

export const undoWordpress: Handler<typeof declared.undoWordpress> = {
  handle(ctx) {
    const { account, wordpress } = ctx.found
    refuseToRun(fullAccount(ctx), wordpress)
    const update = updateOf(ctx.db, wordpress.id)
    if (!update || update.expires_at <= ctx.now)
      throw new Problem('release-unavailable', 'The site has no update that can be undone.')
    setSite(ctx, wordpress.id, { status: 'working' })
    ctx.note({ account, object_id: wordpress.id })
    const job = { kind: 'wordpress.undo', account, object_id: wordpress.id, lane: `wordpress:${wordpress.id}` }
    return accepted(ctx, wordpress, ctx.enqueue(job))
  },
}
