import { isDeepStrictEqual } from 'node:util'
import type * as declared from '../../contract/domains.ts'
import type { Input } from '../../contract/operation.ts'
import { Problem } from '../../contract/problem.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { refuseManyAccessRules } from './access-limits.ts'
import { refuseBeingDeleted } from './busy.ts'
import { mayHave, refuseWithoutApache } from './hosts.ts'
import { refuseWithoutFeature } from './kinds.ts'
import type { OfDomain } from './part.ts'
import { refuseOwnSite } from './site.ts'
import { changedRules, rulesView } from './site-rules.ts'
import { domainById, setDomain, toDomain } from './store.ts'
import { type DomainRow, type SiteValues, siteValues } from './tables.ts'
import { refuseWithoutWaf } from './waf/rules.ts'

type UpdateDomainBody = Input<typeof declared.updateDomain>['body']

/** Changes the domain's site; its job applies it to the host. */
export const updateDomain: Handler<typeof declared.updateDomain> = {
  handle(ctx, { body }) {
    const { account, domain } = ctx.found
    refuseOwnSite(ctx, { kind: domain.kind, account: account.id, handler: domain.handler }, body)
    refuseWithoutFeature(ctx, account.id, domain.kind)
    refuseBeingDeleted(domain)
    if (body.http3) refuseWithoutHttp3(ctx, account.id)
    if (body.handler === 'apache') refuseWithoutApache(ctx, account.id)
    refuseWithoutWaf(ctx, account.id, body.waf)
    const changes = changesOf(ctx, domain, body)
    if (Object.keys(changes).length > 0) setDomain(ctx, domain.id, { ...changes, updated_at: ctx.now })
    if (body.access) refuseManyAccessRules(ctx.db, account.id)
    ctx.note({ account, object_id: domain.id, before: pick(domain, changes), after: noted(changes) })
    const job_id = enqueueUpdate(ctx)
    return { domain: toDomain(ctx, domainById(ctx.db, domain.id)!), job_id }
  },
}

function refuseWithoutHttp3(ctx: Context, account: string): void {
  if (mayHave(ctx, account, 'http3')) return
  throw new Problem('not-configured', 'The nginx of this server has no HTTP/3.', { http3: 'is not available' })
}

/** Enqueues the job that applies the domain's site, or returns the one that is queued already. */
export const enqueueUpdate = (ctx: Context & OfDomain): string =>
  ctx.enqueue({ kind: 'domain.update', account: ctx.found.account, object_id: ctx.found.domain.id })

/** Switching from `app` to another handler clears the app. */
function changesOf({ db }: Context, domain: DomainRow, body: UpdateDomainBody): Partial<SiteValues> {
  const named = body.app_id ?? (body.handler === undefined ? domain.app_id : null)
  const changed = { ...siteValues({ ...domain, ...body, rules: changedRules(db, domain, body) }), app_id: named }
  const names = Object.keys(changed) as (keyof SiteValues)[]
  return Object.fromEntries(
    names.filter((name) => !isDeepStrictEqual(changed[name], domain[name])).map((name) => [name, changed[name]]),
  )
}

const pick = (domain: DomainRow, changes: Partial<SiteValues>): Record<string, unknown> =>
  noted(Object.fromEntries(Object.keys(changes).map((name) => [name, domain[name as keyof SiteValues]])))

/** As the API shows it: without the hashes of passwords; customers see the audit log, but not what root includes. */
const noted = ({ rules, ...values }: Partial<SiteValues>): Record<string, unknown> => ({
  ...values,
  ...(rules && rulesView(rules)),
  ...(rules?.waf && { waf: rules.waf }),
  ...(rules?.nginx_include !== undefined && { nginx_include: true }),
})
