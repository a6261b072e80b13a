import { and, eq, inArray, isNotNull } from 'drizzle-orm'
import { recordEvent } from '../../runtime/events/emit.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { getSetting } from '../../runtime/settings/settings.ts'
import { systemActor } from '../../runtime/settings/system.ts'
import type { Db } from '../../store/open.ts'
import { MAX_ANNOUNCED } from './limits.ts'
import { type BanRow, bans } from './tables.ts'

/** What changes of bans need, in requests and in background work. */
export type BanChanges = Pick<Context, 'runtime' | 'db' | 'now' | 'id' | 'emit'>

/** The server's own changes. */
export function ownChanges(runtime: Runtime): BanChanges {
  const actor = systemActor(runtime.store.db)
  return {
    runtime,
    db: runtime.store.db,
    now: runtime.clock.now(),
    id: () => runtime.id(),
    emit: (event) => recordEvent(runtime, event, actor, actor.via, runtime.id()).id,
  }
}

type Announced = 'banned' | 'unbanned'

/** Events of one kind are at least this far apart: a flood of bans is one event a second. */
const INTERVAL_MS = 1000

interface Announcer {
  last: Record<Announced, number>
  pending: (() => void) | undefined
}
const announcers = new WeakMap<Runtime, Announcer>()

const announcerOf = (runtime: Runtime): Announcer => {
  const announcer = announcers.get(runtime) ?? { last: { banned: 0, unbanned: 0 }, pending: undefined }
  announcers.set(runtime, announcer)
  return announcer
}

/** Emits what no event has said yet, at once or when the last one is a second ago. Inside a change. */
export function announce(changes: BanChanges): void {
  const announcer = announcerOf(changes.runtime)
  for (const what of ['banned', 'unbanned'] as const) {
    const { now } = changes
    const isSoon = now >= announcer.last[what] && now - announcer.last[what] < INTERVAL_MS
    if (isSoon && isAnyPending(changes.db, what)) later(changes.runtime, announcer)
    else if (announceNow(changes, what)) announcer.last[what] = now
  }
}

function later(runtime: Runtime, announcer: Announcer): void {
  announcer.pending ??= runtime.clock.after(INTERVAL_MS, () => {
    announcer.pending = undefined
    void runtime.store
      .change(() => announce(ownChanges(runtime)))
      .catch((error: unknown) => runtime.log.error({ err: error }, 'bans could not be announced'))
  })
}

/** At a stop: what is unannounced is announced at the next start. */
export function stopAnnouncing(runtime: Runtime): void {
  announcerOf(runtime).pending?.()
  announcers.delete(runtime)
}

const unannounced = {
  banned: eq(bans.announced, 'none'),
  unbanned: and(eq(bans.announced, 'banned'), isNotNull(bans.lifted_at)),
} as const

const isAnyPending = (db: Db, what: Announced): boolean =>
  db.select({ id: bans.id }).from(bans).where(unannounced[what]).limit(1).get() !== undefined

function announceNow({ db, emit }: BanChanges, what: Announced): boolean {
  const rows = db.select().from(bans).where(unannounced[what]).orderBy(bans.seq).all()
  if (rows.length === 0) return false
  for (let at = 0; at < rows.length; at += MAX_ANNOUNCED) mark(db, rows.slice(at, at + MAX_ANNOUNCED), what)
  emit({
    type: `security.${what}`,
    object_id: getSetting(db, 'server_id')!,
    details: { count: rows.length, bans: rows.slice(0, MAX_ANNOUNCED).map(inBrief) },
  })
  return true
}

const mark = (db: Db, rows: readonly BanRow[], announced: Announced): void =>
  void db
    .update(bans)
    .set({ announced })
    .where(
      inArray(
        bans.id,
        rows.map(({ id }) => id),
      ),
    )
    .run()

const inBrief = ({ id, address, service, until }: BanRow) => ({ id, address, service, until })
