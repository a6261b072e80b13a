import { and, count, desc, eq, gt, lte, min, or, type SQL } from 'drizzle-orm'
import { Problem } from '../../contract/problem.ts'
import type { PanelName } from '../../contract/sessions.ts'
import { networkOf } from '../../runtime/address.ts'
import type { Context } from '../../runtime/context.ts'
import { knownAddresses, signInAttempts } from './tables.ts'

const window = 15 * 60_000
const perUserAndAddress = 10
const perAddress = 30
const perUser = 100
/** Beyond `perUser`, unknown addresses get one try per interval; addresses that signed in before are not affected. */
const pace = 30_000

/** A sign-in in progress. It counts as failed until it succeeds, so that a burst cannot slip through. */
export interface Attempt {
  readonly id: string
  readonly who: string
  readonly address: string
}

/** Reserves an attempt, or throws 429 `rate-limited`. The local socket is exempt. Inside a change. */
export function reserve(asked: Context, panel: PanelName, username: string): Attempt | undefined {
  // The body may arrive long after the head: use the time of now, so that attempts since then count.
  const ctx = { ...asked, now: asked.runtime.clock.now() }
  const from = ctx.caller?.address
  if (from === undefined) return undefined
  // A mistyped name may be a password: only its fingerprint is stored.
  const attempt = {
    id: ctx.id(),
    who: ctx.runtime.fingerprint('sign-in name', `${panel} ${username.toLowerCase()}`),
    address: networkOf(from),
  }
  // Rows from before the clock went back would otherwise count until that time comes again.
  ctx.db
    .delete(signInAttempts)
    .where(or(lte(signInAttempts.at, ctx.now - window), gt(signInAttempts.at, ctx.now)))
    .run()
  refuseBurst(ctx, attempt)
  ctx.db
    .insert(signInAttempts)
    .values({ ...attempt, at: ctx.now })
    .run()
  return attempt
}

/** After a successful sign-in, forgives this address's failures and remembers it. Inside a change. */
export function succeed(ctx: Context, attempt: Attempt | undefined): void {
  if (!attempt) return
  const { who, address } = attempt
  ctx.db
    .delete(signInAttempts)
    .where(and(eq(signInAttempts.who, who), eq(signInAttempts.address, address)))
    .run()
  const known = { who, address, at: ctx.now }
  ctx.db
    .insert(knownAddresses)
    .values(known)
    .onConflictDoUpdate({ target: [knownAddresses.who, knownAddresses.address], set: known })
    .run()
}

/** The attempt was not a guess and does not count. Inside a change. */
export function release(ctx: Context, attempt: Attempt | undefined): void {
  if (attempt) ctx.db.delete(signInAttempts).where(eq(signInAttempts.id, attempt.id)).run()
}

function refuseBurst(ctx: Context, { who, address }: Attempt): void {
  const byUser = eq(signInAttempts.who, who)
  const byAddress = eq(signInAttempts.address, address)
  refuseOver(ctx, and(byUser, byAddress), perUserAndAddress)
  refuseOver(ctx, byAddress, perAddress)
  if (countOf(ctx, byUser) >= perUser && !isKnown(ctx, who, address)) refusePace(ctx, byUser)
}

function refuseOver(ctx: Context, which: SQL | undefined, most: number): void {
  if (countOf(ctx, which) < most) return
  const oldest =
    ctx.db
      .select({ at: min(signInAttempts.at) })
      .from(signInAttempts)
      .where(which)
      .get()?.at ?? ctx.now
  throw tooMany(oldest + window - ctx.now)
}

function refusePace(ctx: Context, which: SQL): void {
  const last =
    ctx.db.select({ at: signInAttempts.at }).from(signInAttempts).where(which).orderBy(desc(signInAttempts.at)).get()
      ?.at ?? 0
  if (last + pace > ctx.now) throw tooMany(last + pace - ctx.now)
}

const countOf = (ctx: Context, which: SQL | undefined): number =>
  ctx.db
    .select({ total: count() })
    .from(signInAttempts)
    .where(and(which, gt(signInAttempts.at, ctx.now - window)))
    .get()!.total

const isKnown = (ctx: Context, who: string, address: string): boolean =>
  ctx.db
    .select({ at: knownAddresses.at })
    .from(knownAddresses)
    .where(and(eq(knownAddresses.who, who), eq(knownAddresses.address, address)))
    .get() !== undefined

const tooMany = (ms: number): Problem =>
  new Problem('rate-limited', 'Too many failed sign-ins; try again later.', undefined, {
    'Retry-After': String(Math.max(1, Math.ceil(ms / 1000))),
  })
