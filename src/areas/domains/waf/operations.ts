import type { z } from 'zod'
import { notFound, Problem } from '../../../contract/problem.ts'
import type * as declared from '../../../contract/waf.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Handler, HostHandler } from '../../../runtime/operations/run.ts'
import { MAX_WAF_EXCEPTIONS } from '../../../shared/waf.ts'
import { refuseBeingDeleted } from '../busy.ts'
import { hostsOf } from '../hosts.ts'
import { refuseAlias } from '../site-rules.ts'
import { setDomain, siteOf } from '../store.ts'
import type { DomainRow, StoredWafException } from '../tables.ts'
import { enqueueUpdate } from '../update.ts'

/** An alias shows those of its parent's site. */
const exceptionsOf = ({ rules }: DomainRow): readonly StoredWafException[] => rules.waf_exceptions ?? []

const listWafExceptions: Handler<typeof declared.listWafExceptions> = {
  handle: ({ db, found: { domain } }) => ({
    items: exceptionsOf(siteOf(db, domain)).map((one) => toException(domain, one)),
  }),
}

const createWafException: Handler<typeof declared.createWafException> = {
  handle(ctx, { body }) {
    const { account, domain } = ctx.found
    refuseBeingDeleted(domain)
    refuseAlias(domain, 'rule_id')
    const former = exceptionsOf(domain)
    refuseOneMore(former, body)
    const made = { id: ctx.id(), ...body, created_at: ctx.now }
    setExceptions(ctx, domain, [...former, made])
    ctx.note({ account, object_id: domain.id, after: { waf_exception: body } })
    return { exception: toException(domain, made), job_id: enqueueUpdate(ctx) }
  },
}

type Wish = Pick<StoredWafException, 'rule_id' | 'path' | 'parameter'>

function refuseOneMore(former: readonly StoredWafException[], { rule_id, path, parameter }: Wish): void {
  if (former.some((one) => one.rule_id === rule_id && one.path === path && one.parameter === parameter))
    throw new Problem('exists', 'There is such an exception already.')
  if (former.length >= MAX_WAF_EXCEPTIONS)
    throw new Problem('too-many', `A domain has at most ${MAX_WAF_EXCEPTIONS} exceptions.`)
}

function setExceptions(ctx: Context, { id, rules }: DomainRow, all: readonly StoredWafException[]): void {
  const { waf_exceptions: _, ...others } = rules
  const next = { ...others, ...(all.length > 0 && { waf_exceptions: all }) }
  setDomain(ctx, id, { rules: next, updated_at: ctx.now })
}

const deleteWafException: Handler<typeof declared.deleteWafException> = {
  handle(ctx, { params }) {
    const { account, domain, exception } = ctx.found
    refuseBeingDeleted(domain)
    setExceptions(
      ctx,
      domain,
      exceptionsOf(domain).filter(({ id }) => id !== params.xid),
    )
    const { id: _, created_at: _at, ...before } = exception
    ctx.note({ account, object_id: domain.id, before: { waf_exception: before } })
    return { exception: toException(domain, exception), job_id: enqueueUpdate(ctx) }
  },
}

/** The exception, or 404 `not-found` if the domain has none with this id. */
export function findException(domain: DomainRow, id: string): StoredWafException {
  const found = exceptionsOf(domain).find((one) => one.id === id)
  if (!found) throw notFound('exception')
  return found
}

const toException = ({ id: domain_id }: DomainRow, one: StoredWafException): z.infer<typeof declared.WafException> => ({
  id: one.id,
  domain_id,
  rule_id: one.rule_id,
  ...(one.path !== undefined && { path: one.path }),
  ...(one.parameter !== undefined && { parameter: one.parameter }),
  created_at: one.created_at,
})

/** Of the domain's node; what it knows of other domains has other keys. */
const listWafHits: HostHandler<typeof declared.listWafHits> = {
  async act(ctx, { query: { limit, after, rule_id } }, signal) {
    const { account, domain } = ctx.found
    const host = hostsOf(ctx.runtime).driverOf(ctx.runtime.ports.nodeOf(ctx.db, account.id))
    const which = {
      ...(after !== undefined && { after: Number(after) }),
      ...(rule_id !== undefined && { rule: rule_id }),
    }
    const { items, more } = await host.wafHits({ site: domain.id, limit, ...which }, { signal })
    const last = items.at(-1)
    return {
      items: items.map(({ n: _, rule, ...hit }) => ({ ...hit, rule_id: rule })),
      more,
      ...(more && last && { next: String(last.n) }),
    }
  },
}

export const wafOperations = {
  listWafHits,
  listWafExceptions,
  createWafException,
  deleteWafException,
}
