import type * as declared from '../../contract/domains.ts'
import { Problem } from '../../contract/problem.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import type { Db } from '../../store/open.ts'
import { refuseBeingDeleted } from './busy.ts'
import { checkedTarget } from './redirect-target.ts'
import {
  addRedirect,
  countRedirects,
  countRedirectsOfAccount,
  redirectFrom,
  redirectsOf,
  removeRedirect,
  toRedirect,
} from './redirects.ts'
import type { DomainRow, RedirectRow } from './tables.ts'
import { enqueueUpdate } from './update.ts'

const maxRedirects = 100
/** Of all domains of an account: nginx keeps each in memory, twice while it reloads. */
const MAX_REDIRECTS_PER_ACCOUNT = 1_000

const listRedirects: Handler<typeof declared.listRedirects> = {
  handle: (ctx) => ({ items: redirectsOf(ctx.db, ctx.found.domain.id).map(toRedirect) }),
}

const createRedirect: Handler<typeof declared.createRedirect> = {
  handle(ctx, { body }) {
    const { account, domain } = ctx.found
    const { path, match = 'exact', status = 301, keep_path = false } = body
    const target = checkedTarget(domain, { ...body, match, keep_path })
    refuseOneMore(ctx, domain, { path, match })
    refuseManyRedirects(ctx.db, account.id, MAX_REDIRECTS_PER_ACCOUNT - 1)
    const made = { id: ctx.id(), domain_id: domain.id, path, match, target, status, keep_path, created_at: ctx.now }
    addRedirect(ctx, { ...made, applied: false, removed: false })
    ctx.note({ account, object_id: domain.id, after: { path, match, target, status } })
    return { redirect: made, job_id: enqueueUpdate(ctx) }
  },
}

function refuseOneMore(ctx: Context, domain: DomainRow, from: Pick<RedirectRow, 'path' | 'match'>): void {
  refuseBeingDeleted(domain)
  if (redirectFrom(ctx.db, domain.id, from)) {
    const message = `is redirected already by a redirect of the match ${from.match}`
    throw new Problem('exists', `${from.path} ${message}.`, { path: message })
  }
  if (countRedirects(ctx.db, domain.id) >= maxRedirects)
    throw new Problem('too-many', `${domain.name} has ${maxRedirects} redirects, which is the most.`)
}

/** 409 `limit-reached` if the domains of an account have more redirects than that. */
export function refuseManyRedirects(db: Db, account: string, max = MAX_REDIRECTS_PER_ACCOUNT): void {
  if (countRedirectsOfAccount(db, account) <= max) return
  throw new Problem('limit-reached', `The domains of an account have at most ${MAX_REDIRECTS_PER_ACCOUNT} redirects.`)
}

const deleteRedirect: Handler<typeof declared.deleteRedirect> = {
  handle(ctx) {
    const { account, domain, redirect } = ctx.found
    refuseBeingDeleted(domain)
    removeRedirect(ctx, redirect)
    ctx.note({ account, object_id: domain.id, before: { path: redirect.path, target: redirect.target } })
    return { redirect: toRedirect(redirect), job_id: enqueueUpdate(ctx) }
  },
}

export const redirectOperations = { listRedirects, createRedirect, deleteRedirect }
