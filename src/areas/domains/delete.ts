import type * as declared from '../../contract/domains.ts'
import { Problem } from '../../contract/problem.ts'
import { unfinishedJob } from '../../runtime/jobs/queue.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { type DomainUse, domainParts, type OfDomain } from './part.ts'
import { countOn, domainById, setDomain, toDomain } from './store.ts'
import type { DomainRow } from './tables.ts'

/** Removes the domain from the host; then the row is deleted and its name is free. */
export const deleteDomain: Handler<typeof declared.deleteDomain> = {
  handle(ctx) {
    const { account, domain } = ctx.found
    ctx.note({ account, object_id: domain.id, before: { name: domain.name } })
    if (domain.status === 'deleting') return again(ctx)
    refuseInUse(ctx, domain)
    setDomain(ctx, domain.id, { status: 'deleting', updated_at: ctx.now })
    for (const { deleted } of domainParts(ctx.runtime).reverse()) deleted?.(ctx, domain)
    ctx.emit({ type: 'domain.deleted', account, object_id: domain.id, details: { domain: domain.name } })
    return accepted(ctx)
  },
}

/** Returns the unfinished job, or enqueues one if the last has failed. */
function again(ctx: Context & OfDomain) {
  const { account, domain } = ctx.found
  const running = unfinishedJob(ctx.runtime, account.id, 'domain.delete', domain.id)
  return running ? { domain: toDomain(ctx, domain), job_id: running.id } : accepted(ctx)
}

function accepted(ctx: Context & OfDomain) {
  const { account, domain } = ctx.found
  const job_id = ctx.enqueue({ kind: 'domain.delete', account, object_id: domain.id })
  return { domain: toDomain(ctx, domainById(ctx.db, domain.id)!), job_id }
}

function refuseInUse(ctx: Context, domain: DomainRow): void {
  if (domain.kind === 'main')
    throw new Problem('in-use', `${domain.name} is the main domain; it goes with its account.`)
  const uses = usesOf(ctx, domain).filter(({ count }) => count > 0)
  if (uses.length === 0) return
  const words = uses.map(({ count, noun, nouns = `${noun}s` }) => `${count} ${count === 1 ? noun : nouns}`)
  const remedies = new Set(uses.map(({ remedy = 'delete them' }) => remedy))
  throw new Problem('in-use', `${domain.name} still has ${words.join(', ')}; ${[...remedies].join(' and ')} first.`)
}

const usesOf = ({ db, runtime }: Context, domain: DomainRow): DomainUse[] => [
  { count: countOn(db, domain.id, 'sub'), noun: 'subdomain' },
  { count: countOn(db, domain.id, 'parked'), noun: 'alias domain' },
  ...domainParts(runtime).flatMap(({ uses }) => uses?.(db, domain) ?? []),
]
