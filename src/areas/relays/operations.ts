import { count, eq } from 'drizzle-orm'
import { invalid, Problem } from '../../contract/problem.ts'
import type * as declared from '../../contract/relays.ts'
import { MAX_RELAYS } from '../../contract/relays.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { localNode } from '../../shared/node-name.ts'
import { minute } from '../../shared/time.ts'
import { laneOf } from '../nodes/lane.ts'
import { refuseHalf } from './sign-in.ts'
import { allRelays, purpose, relayById, toRelay } from './store.ts'
import { type RelayRow, relays } from './tables.ts'
import { kindOf, setTargets } from './targets.ts'

/** With what applies the server's own names: both write the same state. */
const lane = laneOf(localNode)

const listSmtpRelays: Handler<typeof declared.listSmtpRelays> = {
  handle: ({ db }) => ({ items: allRelays(db).map((row) => toRelay(db, row)) }),
}

const getSmtpRelay: Handler<typeof declared.getSmtpRelay> = {
  handle: ({ db, found }) => toRelay(db, found.relay),
}

/** Accepts a change; what waits is tried again once the hosts know. */
function accepted(ctx: Context, id: string, before?: ReturnType<typeof toRelay>) {
  const relay = toRelay(ctx.db, relayById(ctx.db, id)!)
  ctx.note({ object_id: id, ...(before && { before }), after: relay })
  return { relay, job_id: ctx.enqueue({ kind: 'mail.relay.update', object_id: id, lane }) }
}

const createSmtpRelay: Handler<typeof declared.createSmtpRelay> = {
  handle(ctx, { body }) {
    const { name, host, port, tls, username, password } = body
    refuseHalf(username, password)
    refuseTaken(ctx, name)
    if (ctx.db.select({ total: count() }).from(relays).get()!.total >= MAX_RELAYS)
      throw new Problem('too-many', `A server has at most ${MAX_RELAYS} SMTP relays.`)
    const row: RelayRow = {
      ...{ id: ctx.id(), name, host, port, tls, username: username ?? null },
      password: password === undefined ? null : ctx.runtime.seal(purpose, password),
      ...{ kind: kindOf(body.for), status: 'active', tested_at: null, created_at: ctx.now, updated_at: ctx.now },
    }
    ctx.db.insert(relays).values(row).run()
    setTargets(ctx, row.id, body.for)
    return accepted(ctx, row.id)
  },
}

function refuseTaken({ db }: Context, name: string, self?: string): void {
  if (!allRelays(db).some((one) => one.name === name && one.id !== self)) return
  throw new Problem('exists', `There is an SMTP relay ${name} already.`, { name: 'is taken' })
}

const updateSmtpRelay: Handler<typeof declared.updateSmtpRelay> = {
  handle(ctx, { body }) {
    const { relay } = ctx.found
    refuseDeleting(relay)
    if (body.name !== undefined) refuseTaken(ctx, body.name, relay.id)
    const before = toRelay(ctx.db, relay)
    const { name, host, port, tls } = body
    ctx.db
      .update(relays)
      .set({ name, host, port, tls, ...signInOf(ctx, relay, body), updated_at: ctx.now })
      .where(eq(relays.id, relay.id))
      .run()
    if (body.for !== undefined) {
      ctx.db
        .update(relays)
        .set({ kind: kindOf(body.for) })
        .where(eq(relays.id, relay.id))
        .run()
      setTargets(ctx, relay.id, body.for)
    }
    return accepted(ctx, relay.id, before)
  },
}

/** Another user name needs its password. */
function signInOf(
  ctx: Context,
  relay: RelayRow,
  { username, password }: { readonly username?: string | null | undefined; readonly password?: string | undefined },
): Partial<RelayRow> {
  if (username === null) {
    refuseHalf(null, password)
    return { username, password: null }
  }
  if (password !== undefined) {
    refuseHalf(username ?? relay.username, password)
    return { username: username ?? relay.username, password: ctx.runtime.seal(purpose, password) }
  }
  if (username !== undefined && username !== relay.username) throw invalid('password', 'is required with a user name')
  return {}
}

function refuseDeleting({ name, status }: RelayRow): void {
  if (status === 'deleting') throw new Problem('busy', `${name} is being deleted.`)
}

const deleteSmtpRelay: Handler<typeof declared.deleteSmtpRelay> = {
  handle(ctx) {
    const { id } = ctx.found.relay
    const before = toRelay(ctx.db, ctx.found.relay)
    ctx.db.update(relays).set({ status: 'deleting', updated_at: ctx.now }).where(eq(relays.id, id)).run()
    return accepted(ctx, id, before)
  },
}

const testSmtpRelay: Handler<typeof declared.testSmtpRelay> = {
  handle(ctx, { body: { to } }) {
    const { relay } = ctx.found
    refuseDeleting(relay)
    refuseOften(relay, ctx.now)
    ctx.db.update(relays).set({ tested_at: ctx.now }).where(eq(relays.id, relay.id)).run()
    ctx.note({ object_id: relay.id, after: { to } })
    const payload = { to }
    const job_id = ctx.enqueue({ kind: 'mail.relay.test', object_id: relay.id, lane: `test:${relay.id}`, payload })
    return { relay: toRelay(ctx.db, relay), job_id }
  },
}

function refuseOften({ tested_at }: RelayRow, now: number): void {
  const waitMs = tested_at === null ? 0 : tested_at + minute - now
  if (waitMs <= 0) return
  const seconds = String(Math.ceil(waitMs / 1000))
  throw new Problem('rate-limited', 'A relay can be tested once a minute.', undefined, { 'Retry-After': seconds })
}

export const relayOperations = {
  listSmtpRelays,
  getSmtpRelay,
  createSmtpRelay,
  updateSmtpRelay,
  deleteSmtpRelay,
  testSmtpRelay,
}
