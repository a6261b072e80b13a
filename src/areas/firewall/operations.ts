import { eq } from 'drizzle-orm'
import type * as declared from '../../contract/firewall.ts'
import { invalid, Problem, refuseInvalid } from '../../contract/problem.ts'
import type { FirewallReport } from '../../host/contract/driver.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler, HostHandler } from '../../runtime/operations/run.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { type FirewallRule, hasHostBits, MAX_FIREWALL_RULES, ruleNetwork, TRIAL_MS } from '../../shared/firewall.ts'
import { networkIn } from '../../shared/networks.ts'
import { localNode } from '../../shared/node-name.ts'
import { hostOf } from '../host/host.ts'
import { refuseClosed } from './doors.ts'
import { currentRules, findRule, pendingIn, rulesWith, settleRules, toRule } from './store.ts'
import { type FirewallRow, firewallRules } from './tables.ts'
import { viewOf } from './view.ts'

export const lane = 'server'

const reportOf = (runtime: Runtime, signal?: AbortSignal): Promise<FirewallReport> =>
  hostOf(runtime, localNode).firewall({}, { ...(signal && { signal }) })

const getFirewall: HostHandler<typeof declared.getFirewall> = {
  async act({ db, runtime }, _input, signal) {
    const seen = await reportOf(runtime, signal)
    return viewOf(currentRules(db, runtime.clock.now(), seen), seen)
  },
}

/** The rules to be changed. Refuses without a firewall, and while a change waits. */
function ready(ctx: Context, seen: FirewallReport): FirewallRow[] {
  if (!seen.isSetUp)
    throw new Problem('not-configured', 'The firewall is not set up on this server: panel host setup --firewall')
  settleRules(ctx.db, ctx.now, seen)
  const rows = currentRules(ctx.db, ctx.now)
  if (pendingIn(rows))
    throw new Problem('busy', 'A change of the firewall is waiting: confirm it, or wait until it is undone.')
  return rows
}

/** Rules on trial, until then. */
const onTrial = (ctx: Context, change: 'adding' | 'deleting') => ({
  ...{ change, change_id: ctx.id(), revert_at: ctx.now + TRIAL_MS, applied: false },
})

function accepted(ctx: Context, id: string) {
  const row = ctx.db.select().from(firewallRules).where(eq(firewallRules.id, id)).get()!
  const rule = toRule(row)
  ctx.note({ object_id: id, [row.change === 'adding' ? 'after' : 'before']: rule })
  const job_id = ctx.enqueue({ kind: 'host.firewall', object_id: id, lane, payload: { change: row.change_id! } })
  return { rule, revert_at: row.revert_at!, job_id }
}

const addFirewallRule: Handler<typeof declared.addFirewallRule, FirewallReport> = {
  prepare: ({ runtime }) => reportOf(runtime),
  handle(ctx, { body }, seen) {
    refuseInvalid({
      port: body.port === undefined && body.service === undefined ? 'is required, or a service' : undefined,
      service: body.port !== undefined && body.service !== undefined ? 'cannot be combined with port' : undefined,
    })
    const { action, port, service, proto = 'tcp', comment } = body
    const network = body.from === undefined ? undefined : networkFrom(body.from)
    const rows = ready(ctx, seen)
    refuseSame(rows, { action, port, service, proto, from: network })
    if (rows.length >= MAX_FIREWALL_RULES)
      throw new Problem('too-many', `The firewall has at most ${MAX_FIREWALL_RULES} rules.`)
    const row: FirewallRow = {
      ...{ id: ctx.id(), action, port: port ?? null, service: service ?? null, proto, network: network ?? null },
      ...{ comment: comment ?? null, created_at: ctx.now, ...onTrial(ctx, 'adding') },
    }
    const field = port === undefined ? 'service' : 'port'
    refuseClosed(ctx, rulesWith([...rows, row]), { services: seen.services, field })
    ctx.db.insert(firewallRules).values(row).run()
    return accepted(ctx, row.id)
  },
}

function networkFrom(text: string): string {
  const network = networkIn(text)
  if (!network) throw invalid('from', 'must be an address or a network, such as 203.0.113.0/24')
  if (network.bits === 0) throw invalid('from', 'is all addresses: leave it out')
  if (hasHostBits(network))
    throw invalid('from', 'has bits beyond its length: write the network, such as 203.0.113.0/24')
  return ruleNetwork(text)!
}

function refuseSame(rows: readonly FirewallRow[], wish: FirewallRule): void {
  const same = rows.find(
    (row) =>
      row.action === wish.action &&
      row.port === (wish.port ?? null) &&
      row.service === (wish.service ?? null) &&
      row.proto === wish.proto &&
      row.network === (wish.from ?? null),
  )
  if (same) throw new Problem('exists', 'There is such a rule already.')
}

const deleteFirewallRule: Handler<typeof declared.deleteFirewallRule, FirewallReport> = {
  prepare: ({ runtime }) => reportOf(runtime),
  handle(ctx, { params }, seen) {
    const rows = ready(ctx, seen)
    const row = findRule(ctx, params.rid)
    const others = rows.filter(({ id }) => id !== row.id)
    refuseClosed(ctx, rulesWith(others), { services: seen.services })
    ctx.db.update(firewallRules).set(onTrial(ctx, 'deleting')).where(eq(firewallRules.id, row.id)).run()
    return accepted(ctx, row.id)
  },
}

const confirmFirewall: HostHandler<typeof declared.confirmFirewall> = {
  record(ctx) {
    const row = waiting(ctx)
    refuseOldConnection(ctx, row)
    ctx.note({ object_id: row.id })
  },
  async act(ctx, _input, signal) {
    const { runtime } = ctx
    const id = waiting({ ...ctx, now: runtime.clock.now() }).change_id!
    const { confirmed } = await hostOf(runtime, localNode).confirmFirewall({ id }, { signal })
    if (!confirmed) throw notWaiting()
    await runtime.store.change(() => settleRules(runtime.store.db, runtime.clock.now(), { confirmed: id }))
    return undefined
  },
}

/** A connection that was open before proves nothing: it stays open whatever the rules say. */
function refuseOldConnection({ caller }: Context, { revert_at }: FirewallRow): void {
  if ((caller?.connectedAt ?? Number.POSITIVE_INFINITY) >= revert_at! - TRIAL_MS) return
  throw new Problem(
    'validation',
    'This connection was open before the change: confirm again, which opens a new one.',
    undefined,
    { Connection: 'close' },
  )
}

function waiting({ db, now }: Context): FirewallRow {
  const row = pendingIn(currentRules(db, now))
  if (!row) throw notWaiting()
  return row
}

const notWaiting = (): Problem => new Problem('not-found', 'No change of the firewall waits.')

export const firewallOperations = { getFirewall, addFirewallRule, deleteFirewallRule, confirmFirewall }
