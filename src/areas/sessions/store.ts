import { and, eq, gt, inArray, lte, ne, or, type SQL, sql } from 'drizzle-orm'
import { notFound } from '../../contract/problem.ts'
import type { PanelName } from '../../contract/sessions.ts'
import type { Context } from '../../runtime/context.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { touchesOf } from '../../runtime/touch.ts'
import type { Db } from '../../store/open.ts'
import { prepared } from '../../store/prepared.ts'
import { hashCookie, newCookie, setCookie } from './cookie.ts'
import type { Principal } from './principal.ts'
import { type SessionRow, sessions } from './tables.ts'

const absolute = 8 * 3_600_000
const idle = 3_600_000
const untilCode = 5 * 60_000

/** When each session was last seen. */
export const sessionUses = touchesOf((db, id, { at }) => {
  db.update(sessions).set({ last_seen_at: at }).where(eq(sessions.id, id)).run()
})

const queries = prepared((db) => ({
  byHash: db
    .select()
    .from(sessions)
    .where(eq(sessions.hash, sql.placeholder('hash')))
    .prepare(),
}))

/** The session of a cookie, unless it has expired or been idle too long. */
export function sessionOf(runtime: Runtime, panel: PanelName, cookie: string | undefined): SessionRow | undefined {
  if (cookie === undefined || !/^[\w-]{43}$/.test(cookie)) return undefined
  const found = queries(runtime.store.db).byHash.get({ hash: hashCookie(cookie) })
  if (!found || found.panel !== panel) return undefined
  const now = runtime.clock.now()
  const seen = Math.max(found.last_seen_at, sessionUses(runtime).get(found.id)?.at ?? 0)
  // A clock that went back by more than this would let a session live on for as long again.
  const fromAhead = found.created_at > now + idle
  return found.expires_at > now && seen + idle > now && !fromAhead ? found : undefined
}

interface NewSession {
  readonly panel: PanelName
  readonly principal: Principal
  readonly via: SessionRow['via']
  readonly actingAs?: { readonly id: string; readonly name: string }
  /** The password was right; a code must follow. */
  readonly pending?: boolean
}

/** Starts a session and sets its cookie; answers the row and the cookie's value. Inside a change. */
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
    mfa_pending: made.pending ?? false,
    address: ctx.caller?.address ?? null,
    user_agent: ctx.caller?.header('user-agent')?.slice(0, 300) ?? null,
    created_at: ctx.now,
    last_seen_at: ctx.now,
    expires_at: ctx.now + life,
  }
  endExpired(ctx)
  ctx.db.insert(sessions).values(row).run()
  ctx.header('Set-Cookie', setCookie(made.panel, cookie, life / 1000))
  return { row, cookie }
}

function endExpired(ctx: Context): void {
  const old = ctx.db.select({ id: sessions.id }).from(sessions).where(lte(sessions.expires_at, ctx.now)).limit(100)
  ctx.db.delete(sessions).where(inArray(sessions.id, old)).run()
}

/** Ends one session; inside a change. */
export const endSession = (db: Db, id: string): number => db.delete(sessions).where(eq(sessions.id, id)).run().changes

/** Ends a principal's sessions, those of an administrator acting as it too, but for one. Inside a change. */
export function endSessionsOf(db: Db, principalId: string, except?: string, panel?: PanelName): void {
  db.delete(sessions)
    .where(and(belonging(principalId, panel), except === undefined ? undefined : ne(sessions.id, except)))
    .run()
}

/** Running sessions of a principal in a panel, oldest first; those that wait for a code are not among them. */
export function listSessionsOf(ctx: Context, principalId: string, panel: PanelName): SessionRow[] {
  const running = and(belonging(principalId, panel), eq(sessions.mfa_pending, false), gt(sessions.expires_at, ctx.now))
  const rows = ctx.db.select().from(sessions).where(running).orderBy(sessions.id).all()
  return rows.filter(
    (row) => Math.max(row.last_seen_at, sessionUses(ctx.runtime).get(row.id)?.at ?? 0) + idle > ctx.now,
  )
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
