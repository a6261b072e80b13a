import { and, count, desc, eq, gt, inArray, lte, min, or, type SQL } from 'drizzle-orm'
import { Problem } from '../../contract/problem.ts'
import type { PanelName } from '../../contract/sessions.ts'
import { networkOf, siteOf } from '../../runtime/operations/address.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { day } from '../../shared/time.ts'
import { knownAddresses, signInAttempts } from './tables.ts'

const window = 15 * 60_000
const perUserAndAddress = 10
const perAddress = 30
const MAX_PER_SITE = 120
const perUser = 100
/** Beyond `perUser`, unknown addresses get one try per interval; addresses that signed in before are not affected. */
const pace = 30_000
/** Second-factor codes for one account in a day, from all addresses that never signed in to it. */
const MAX_CODES_PER_DAY = 50

/** A sign-in in progress. It counts as failed until it succeeds, so that a burst cannot slip through. */
export interface Attempt {
  readonly id: string
  readonly who: string
  readonly address: string
  /** Counts the code of a second factor for its account. */
  readonly code?: { readonly id: string; readonly who: string }
}

/**
 * Reserves an attempt, or throws 429 `rate-limited`; `reset` counts requests for a new password, which are never
 * forgiven. The local socket is exempt. Inside a change.
 */
export function reserve(context: Context, panel: PanelName | 'reset', username: string): Attempt | undefined {
  // The body may arrive long after the head: use the time of now, so that attempts since then count.
  const ctx = { ...context, now: context.runtime.clock.now() }
  const from = ctx.caller?.address
  if (from === undefined) return undefined
  // A mistyped name may be a password: only its fingerprint is stored.
  const attempt = {
    id: ctx.id(),
    who: ctx.runtime.fingerprint('sign-in name', `${panel} ${username.toLowerCase()}`),
    address: networkOf(from),
  }
  const site = siteOf(from)
  forgetOld(ctx)
  refuseBurst(ctx, attempt, site)
  ctx.db
    .insert(signInAttempts)
    .values({ ...attempt, site, at: ctx.now })
    .run()
  return attempt
}

/** Rows from before the clock went back would otherwise count until that time comes again. */
function forgetOld({ db, now }: Context): void {
  const expired = and(eq(signInAttempts.code, false), lte(signInAttempts.at, now - window))
  const old = or(expired, lte(signInAttempts.at, now - day), gt(signInAttempts.at, now))
  db.delete(signInAttempts).where(old).run()
}

/**
 * The same for a second factor's code. It follows the right password, so only who has that can use up an account's codes;
 * addresses that signed in before are not affected. Inside a change.
 */
export function reserveCode(
  ctx: Context,
  panel: PanelName,
  { id, name }: { id: string; name: string },
): Attempt | undefined {
  const attempt = reserve(ctx, panel, name)
  if (!attempt) return undefined
  const { address } = attempt
  const code = { id: ctx.id(), who: ctx.runtime.fingerprint('sign-in code', id) }
  const now = ctx.runtime.clock.now()
  if (!isKnown(ctx, attempt.who, address))
    refuseOver({ ...ctx, now }, eq(signInAttempts.who, code.who), MAX_CODES_PER_DAY, day)
  ctx.db
    .insert(signInAttempts)
    .values({ ...code, address, code: true, at: now })
    .run()
  return { ...attempt, code }
}

/**
 * After a successful sign-in, forgives this address's failures and remembers it. Attempts that began later may be in
 * progress and still count. Inside a change.
 */
export function succeed(ctx: Context, attempt: Attempt | undefined): void {
  if (!attempt) return
  const { who, address, code } = attempt
  for (const one of code ? [attempt, code] : [attempt])
    ctx.db
      .delete(signInAttempts)
      .where(and(eq(signInAttempts.who, one.who), eq(signInAttempts.address, address), lte(signInAttempts.id, one.id)))
      .run()
  ctx.runtime.ports.signInSucceeded(ctx.runtime, ctx.caller?.address)
  const known = { who, address, at: ctx.now }
  ctx.db
    .insert(knownAddresses)
    .values(known)
    .onConflictDoUpdate({ target: [knownAddresses.who, knownAddresses.address], set: known })
    .run()
}

/** The attempt was not a guess and does not count. Inside a change. */
export function release(ctx: Context, attempt: Attempt | undefined): void {
  if (!attempt) return
  const ids = [attempt.id, ...(attempt.code ? [attempt.code.id] : [])]
  ctx.db.delete(signInAttempts).where(inArray(signInAttempts.id, ids)).run()
}

function refuseBurst(ctx: Context, { who, address }: Attempt, site: string | undefined): void {
  const byUser = eq(signInAttempts.who, who)
  const byAddress = and(eq(signInAttempts.address, address), eq(signInAttempts.code, false))
  refuseOver(ctx, and(byUser, byAddress), perUserAndAddress)
  refuseOver(ctx, byAddress, perAddress)
  if (site !== undefined) refuseOver(ctx, eq(signInAttempts.site, site), MAX_PER_SITE)
  if (countOf(ctx, byUser) >= perUser && !isKnown(ctx, who, address)) refusePace(ctx, byUser)
}

function refuseOver(ctx: Context, which: SQL | undefined, max: number, within = window): void {
  if (countOf(ctx, which, within) < max) return
  const oldest =
    ctx.db
      .select({ at: min(signInAttempts.at) })
      .from(signInAttempts)
      .where(which)
      .get()?.at ?? ctx.now
  throw tooMany(oldest + within - ctx.now)
}

function refusePace(ctx: Context, which: SQL): void {
  const last =
    ctx.db.select({ at: signInAttempts.at }).from(signInAttempts).where(which).orderBy(desc(signInAttempts.at)).get()
      ?.at ?? 0
  if (last + pace > ctx.now) throw tooMany(last + pace - ctx.now)
}

const countOf = (ctx: Context, which: SQL | undefined, within = window): number =>
  ctx.db
    .select({ total: count() })
    .from(signInAttempts)
    .where(and(which, gt(signInAttempts.at, ctx.now - within)))
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
