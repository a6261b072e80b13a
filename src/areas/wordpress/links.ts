import { asc, eq, lte } from 'drizzle-orm'
import type { HostClient } from '../../host/contract/client.ts'
import type { Outside } from '../../runtime/areas/area.ts'
import type { Engine } from '../../runtime/areas/engine.ts'
import { withinTime } from '../../runtime/operations/host-call.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { minute } from '../../shared/time.ts'
import type { Db } from '../../store/open.ts'
import { askSite } from './ask.ts'
import { siteById } from './store.ts'
import { type LinkRow, wordpressLinks } from './tables.ts'

declare module '../../runtime/runtime.ts' {
  interface Signals {
    /** The set of links has changed. */
    wordpressLinkChange: []
  }
}

/** A removal that takes longer is tried again. */
const TIMEOUT_S = 25

/** Inside a change: a site is to have a file that signs in, until then. */
export function addLink({ store, signals }: Runtime, row: LinkRow): void {
  store.db.insert(wordpressLinks).values(row).run()
  signals.emit('wordpressLinkChange')
}

/** Removes files that sign in once they have expired, in a minute again what could not be removed. */
export function removeLinks(runtime: Runtime, { host }: Pick<Outside, 'host'>): Engine {
  const { clock, log, signals, store } = runtime
  const ending = new AbortController()
  let cancel = (): void => {}
  let removing: Promise<void> = Promise.resolve()
  const plan = (): void => {
    cancel()
    const next = nextLink(store.db)
    if (!next || ending.signal.aborted) return
    cancel = clock.after(Math.max(0, next.until - clock.now()), () => {
      removing = removeExpired(runtime, host, ending.signal)
        .catch((error) => log.error({ err: error }, 'expired links to WordPress sites could not be removed'))
        .finally(plan)
    })
  }
  signals.on('wordpressLinkChange', plan)
  plan()
  return {
    async stop() {
      signals.off('wordpressLinkChange', plan)
      ending.abort()
      cancel()
      await removing
    },
  }
}

const nextLink = (db: Db): LinkRow | undefined =>
  db.select().from(wordpressLinks).orderBy(asc(wordpressLinks.until)).limit(1).get()

/** All at once, and each within a time: a node that never answers keeps no other's from being removed. */
async function removeExpired(runtime: Runtime, host: HostClient, signal: AbortSignal): Promise<void> {
  const { clock, store } = runtime
  const expired = store.db.select().from(wordpressLinks).where(lte(wordpressLinks.until, clock.now())).limit(20).all()
  await Promise.all(
    expired.map(async (link) => {
      const isGone = await removeFile(runtime, host, link, signal)
      if (signal.aborted) return
      await store.change(() => void (isGone ? forget(store.db, link) : postpone(store.db, link, clock.now() + minute)))
    }),
  )
}

async function removeFile(runtime: Runtime, host: HostClient, { site_id, file }: LinkRow, signal: AbortSignal) {
  const site = siteById(runtime.store.db, site_id)
  if (!site) return true
  const task = { task: 'endSignIn', input: { file }, timeoutS: TIMEOUT_S } as const
  return withinTime(runtime.clock, signal, (ending) => askSite(runtime, host, site, { ...task, signal: ending })).then(
    () => true,
    () => false,
  )
}

const forget = (db: Db, { file }: LinkRow) => db.delete(wordpressLinks).where(eq(wordpressLinks.file, file)).run()

const postpone = (db: Db, { file }: LinkRow, until: number) =>
  db.update(wordpressLinks).set({ until }).where(eq(wordpressLinks.file, file)).run()
