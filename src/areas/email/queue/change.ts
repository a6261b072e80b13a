import type * as declared from '../../../contract/email/queue.ts'
import type { Input } from '../../../contract/operation.ts'
import type { QueueChange, QueueFilter } from '../../../host/contract/driver.ts'
import type { JobKind, RunningJob } from '../../../runtime/jobs/job-kind.ts'
import type { Context, NewJob } from '../../../runtime/operations/context.ts'
import type { Handler } from '../../../runtime/operations/run.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { JobRow } from '../../../runtime/tables.ts'
import type { FoundAccount } from '../../accounts/objects/find-account.ts'
import { hostsOf, onNode } from '../../host/host.ts'
import { changeMailQueueOn } from '../../host/mail-queue.ts'
import { silentNodes } from '../../host/unreachable-nodes.ts'
import { changedBy, refuseEverything } from './filter.ts'
import { onlyIn, refuseForeign } from './list.ts'
import { namesOf, type QueueScope, scopeOf } from './scope.ts'

type Verb = QueueChange['change']
type Body = Input<typeof declared.deleteMailQueue>['body']
const kind = 'mail.queue.change'
const MAX_WAIT_MS = 30_000

/** How many messages meet the filter. Nodes that do not answer have none: the job says so. */
async function count(ctx: Context, filter: QueueFilter, scope: QueueScope): Promise<number> {
  const signal = AbortSignal.timeout(MAX_WAIT_MS)
  const counts = hostsOf(ctx.runtime).map(async ([node, host]) => {
    const own = onlyIn(ctx, scope, node, filter)
    if (!own) return 0
    const answer = onNode(ctx.runtime, { node, signal }, (ending) =>
      host.mailQueue({ filter: own, limit: 1 }, { signal: ending }),
    )
    return (await answer).total
  })
  const totals = await Promise.allSettled(counts)
  return totals.reduce((sum, total) => sum + (total.status === 'fulfilled' ? total.value : 0), 0)
}

interface Requested {
  readonly filter: QueueFilter
  readonly scope: QueueScope
  readonly matched: number
}

async function requested(ctx: Context, change: Verb, body: Body, scope: QueueScope): Promise<Requested> {
  refuseEverything(body)
  const filter = { ...(change === 'retry' && { onHold: false }), ...changedBy(body, ctx.now) }
  return { filter, scope, matched: await count(ctx, filter, scope) }
}

/** Jobs carry names: which messages these are is looked up again when it runs. */
function enqueue(ctx: Context, change: Verb, { filter, scope, matched }: Requested, job: Partial<NewJob>) {
  const payload = { change, filter: JSON.stringify(filter), ...namesOf(scope) }
  const job_id = ctx.enqueue({ kind, lane: 'mail', payload, ...job })
  return { matched, job_id }
}

const changing = (change: Verb): Handler<typeof declared.deleteMailQueue, Requested> => ({
  prepare: (ctx, { body }) => {
    refuseForeign(ctx, body.account_id)
    return requested(ctx, change, body, scopeOf(ctx.actor, body.account_id))
  },
  handle(ctx, { body }, prepared) {
    refuseForeign(ctx, body.account_id)
    ctx.note({ after: { ...body, matched: prepared.matched } })
    return enqueue(ctx, change, prepared, {})
  },
})

const deleteMailQueueForAccount: Handler<typeof declared.deleteMailQueueForAccount, Requested> = {
  prepare: (ctx, { body }) => requested(ctx, 'delete', body, { account: ctx.found.account.id }),
  handle(ctx, { body }, prepared) {
    const account: FoundAccount = ctx.found.account
    ctx.note({ account, after: { ...body, matched: prepared.matched } })
    // A lane for each account: one customer's deletions do not hold up another's.
    return enqueue(ctx, 'delete', prepared, { account, lane: `mail:${account.id}` })
  },
}

export const queueChanges = {
  retryMailQueue: changing('retry'),
  holdMailQueue: changing('hold'),
  releaseMailQueue: changing('release'),
  deleteMailQueue: changing('delete'),
  deleteMailQueueForAccount,
}

const words: Readonly<Record<Verb, string>> = {
  retry: 'being delivered',
  hold: 'held',
  release: 'released',
  delete: 'deleted',
}

interface Described {
  readonly change: Verb
  readonly filter: QueueFilter
  readonly scope: QueueScope
}

function readIn({ payload }: JobRow): Described {
  const { change, filter, owner, account } = payload
  return { change: change as Verb, filter: JSON.parse(filter!) as QueueFilter, scope: { owner, account } }
}

async function run(runtime: Runtime, job: RunningJob): Promise<undefined> {
  const { change, filter, scope } = readIn(job.row)
  for (const { node, reason } of silentNodes(runtime)) job.log(`Nothing was changed on ${node}: ${reason}`, 'warn')
  let changed = 0
  const gone = new Set(filter.ids)
  const changes = hostsOf(runtime).flatMap((linked) => {
    const own = onlyIn({ db: runtime.store.db }, scope, linked[0], filter)
    return own ? [changeMailQueueOn(runtime, job, linked, { change, filter: own })] : []
  })
  for (const done of await Promise.all(changes)) {
    changed += done?.changed ?? 0
    const missing = new Set(done?.gone ?? filter.ids)
    for (const id of gone) if (!missing.has(id)) gone.delete(id)
  }
  job.log(`${changed === 1 ? '1 message is' : `${changed} messages are`} ${words[change]}`)
  if (gone.size > 0) job.log(`These were not in the queue any more: ${[...gone].join(', ')}`, 'warn')
  return undefined
}

/** Changes what of the messages still waits. */
export const queueJob = (runtime: Runtime): JobKind => ({
  kind,
  exists: () => true,
  run: (job) => run(runtime, job),
})
