import { and, desc, eq, gt, inArray, isNotNull, isNull, lte, ne, notInArray, or, type SQL, sql } from 'drizzle-orm'
import { notFound } from '../../contract/problem.ts'
import { idleAfter as idle, type PanelName } from '../../contract/sessions.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { lastUsedTracker } from '../../runtime/security/last-used.ts'
import { day } from '../../shared/time.ts'
import { prepared } from '../../store/prepared.ts'
import { versionedCache } from '../../store/versioned-cache.ts'
import { hashCookie, newCookie, setCookie } from './cookie.ts'
import type { Principal } from './principal.ts'
import { type SessionRow, sessions } from './tables.ts'

const absolute = 8 * 3_600_000
const untilCode = 5 * 60_000
const remembered = day
/** Of one principal in one panel; those of administrators acting as it are counted by themselves. */
const MAX_SESSIONS = 50

/** When each session was last seen. */
export const sessionUses = lastUsedTracker((db, id, { at }) => {
  db.update(sessions).set({ last_seen_at: at }).where(eq(sessions.id, id)).run()
})

const queries = prepared((db) => ({
  byHash: db
    .select()
    .from(sessions)
    .where(eq(sessions.hash, sql.placeholder('hash')))
    .prepare(),
  byId: db
    .select()
    .from(sessions)
    .where(eq(sessions.id, sql.placeholder('id')))
    .prepare(),
}))

const rowOf = versionedCache((store, hash) => queries(store.db).byHash.get({ hash }))

/** The session of a cookie, unless it has ended. */
export function sessionOf(runtime: Runtime, panel: PanelName, cookie: string | undefined): SessionRow | undefined {
  const found = anySessionOf(runtime, panel, cookie)
  if (!found) return undefined
  const now = runtime.clock.now()
  // If the clock went back further than this, a session would live that much longer.
  const fromAhead = found.created_at > now + idle
  return found.ended_at === null && endOf(runtime, found) > now && !fromAhead ? found : undefined
}

/** Whether a cookie belongs to a session that ended less than a day ago. */
export function endedLately(runtime: Runtime, panel: PanelName, cookie: string | undefined): boolean {
  const found = anySessionOf(runtime, panel, cookie)
  return found !== undefined && !found.mfa_pending && endOf(runtime, found) + remembered > runtime.clock.now()
}

function anySessionOf(runtime: Runtime, panel: PanelName, cookie: string | undefined): SessionRow | undefined {
  if (cookie === undefined || !/^[\w-]{43}$/.test(cookie)) return undefined
  const found = rowOf(runtime.store, hashCookie(cookie))
  return found?.panel === panel ? found : undefined
}

/** When it ended, or will end if unused. */
function endOf(runtime: Runtime, row: SessionRow): number {
  const seen = Math.max(row.last_seen_at, sessionUses(runtime).get(row.id)?.at ?? 0)
  return row.ended_at ?? Math.min(row.expires_at, seen + idle)
}

/** A session by its id, unless it was ended or has expired. */
export function runningSession(runtime: Runtime, id: string): SessionRow | undefined {
  const found = queries(runtime.store.db).byId.get({ id })
  return found && found.ended_at === null && endOf(runtime, found) > runtime.clock.now() ? found : undefined
}

/** The creator of the link that a session comes from. */
export type Maker = Pick<SessionRow, 'maker_id' | 'maker_token_id' | 'maker_session_id'>

const nobody: Maker = { maker_id: null, maker_token_id: null, maker_session_id: null }

interface NewSession {
  readonly panel: PanelName
  readonly principal: Principal
  readonly via: SessionRow['via']
  readonly actingAs?: { readonly id: string; readonly name: string }
  readonly maker?: Maker
  /** It replaces a session of someone else. */
  readonly switched?: boolean
  /** The password was correct; a code must follow. */
  readonly pending?: boolean
}

/** Starts a session and sets its cookie; returns the row and the cookie's value. Inside a change. */
export function startSession(ctx: Context, made: NewSession): { row: SessionRow; cookie: string } {
  const cookie = newCookie()
  const life = made.pending ? untilCode : absolute
  const row: SessionRow = {
    id: ctx.id(),
    hash: hashCookie(cookie),
    panel: made.panel,
    principal_type: made.principal.type,
    principal_id: made.principal.id,
    via: made.via,
    acting_as_id: made.actingAs?.id ?? null,
    acting_as_name: made.actingAs?.name ?? null,
    ...(made.maker ?? nobody),
    confirmed_at: made.maker ? null : ctx.now,
    switched: made.switched ?? false,
    mfa_pending: made.pending ?? false,
    address: ctx.caller?.address ?? null,
    user_agent: ctx.caller?.header('user-agent')?.slice(0, 300) ?? null,
    created_at: ctx.now,
    last_seen_at: ctx.now,
    expires_at: ctx.now + life,
    ended_at: null,
  }
  forgetOld(ctx)
  endBeyondLimit(ctx, row)
  ctx.db.insert(sessions).values(row).run()
  ctx.header('Set-Cookie', setCookie(made.panel, cookie, life / 1000))
  return { row, cookie }
}

function forgetOld(ctx: Context): void {
  const expired = lte(sessions.expires_at, ctx.now - remembered)
  const old = ctx.db.select({ id: sessions.id }).from(sessions).where(expired).limit(100)
  ctx.db.delete(sessions).where(inArray(sessions.id, old)).run()
}

/** Ends the oldest of the running sessions of the same kind, so that the new one is the last of `MAX_SESSIONS`. */
function endBeyondLimit(ctx: Context, { principal_id, panel, acting_as_id, mfa_pending }: SessionRow): void {
  const alike = and(
    eq(sessions.principal_id, principal_id),
    eq(sessions.panel, panel),
    acting_as_id === null ? isNull(sessions.acting_as_id) : isNotNull(sessions.acting_as_id),
    eq(sessions.mfa_pending, mfa_pending),
    isNull(sessions.ended_at),
    gt(sessions.expires_at, ctx.now),
    gt(sessions.last_seen_at, ctx.now - idle),
  )
  const newest = ctx.db
    .select({ id: sessions.id })
    .from(sessions)
    .where(alike)
    .orderBy(desc(sessions.id))
    .limit(MAX_SESSIONS - 1)
  end(ctx, and(alike, notInArray(sessions.id, newest)))
}

type Ending = Pick<Context, 'db' | 'now'>

/** Ends one session; returns false if it had ended before. Inside a change. */
export const endSession = (ctx: Ending, id: string): boolean => end(ctx, eq(sessions.id, id)) > 0

/** Ends a principal's sessions, including those of administrators acting as it, except one. Inside a change. */
export function endSessionsOf(ctx: Ending, principalId: string, except?: string, panel?: PanelName): void {
  end(ctx, and(belonging(principalId, panel), except === undefined ? undefined : ne(sessions.id, except)))
}

const end = ({ db, now }: Ending, which: SQL | undefined): number =>
  db
    .update(sessions)
    .set({ ended_at: now })
    .where(and(which, isNull(sessions.ended_at)))
    .run().changes

/** Records that the password was confirmed in the session. Inside a change. */
export function confirmSession({ db, now }: Context, id: string): void {
  db.update(sessions).set({ confirmed_at: now }).where(eq(sessions.id, id)).run()
}

/** A principal's running sessions in a panel, oldest first, without pending ones. */
export function listSessionsOf(ctx: Context, principalId: string, panel: PanelName): SessionRow[] {
  const running = and(belonging(principalId, panel), eq(sessions.mfa_pending, false), isNull(sessions.ended_at))
  const rows = ctx.db.select().from(sessions).where(running).orderBy(sessions.id).all()
  return rows.filter((row) => endOf(ctx.runtime, row) > ctx.now)
}

/** One of them, or 404 `not-found`. */
export function findOwnSession(ctx: Context, id: string, panel: PanelName): SessionRow {
  const found = listSessionsOf(ctx, ctx.actor.id, panel).find((row) => row.id === id)
  if (!found) throw notFound('session')
  return found
}

const belonging = (principalId: string, panel: PanelName | undefined): SQL | undefined =>
  and(
    or(eq(sessions.principal_id, principalId), eq(sessions.acting_as_id, principalId)),
    panel === undefined ? undefined : eq(sessions.panel, panel),
  )
