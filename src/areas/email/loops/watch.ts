import { count, sql } from 'drizzle-orm'
import type { Engine } from '../../../runtime/areas/engine.ts'
import { inSlices, type Steps } from '../../../runtime/operations/slices.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { minute } from '../../../shared/time.ts'
import type { Db } from '../../../store/open.ts'
import { prepared } from '../../../store/prepared.ts'
import { accountById } from '../../accounts/store.ts'
import { forwarders, mailLoops, mailRoutes } from '../tables.ts'
import { type FoundLoop, findLoops } from './find.ts'

declare module '../../../runtime/runtime.ts' {
  interface Signals {
    /** Mail routes may have changed. */
    mailRoutes: []
  }
}

const POLL_INTERVAL_MS = minute
/** After a check of so many forwarders the next one waits for a second. */
const FORWARDERS_PER_SECOND = 1000

const queries = prepared((db: Db) => ({
  routes: db.select().from(mailRoutes).limit(1).prepare(),
  forwarders: db.select({ total: count() }).from(forwarders).prepare(),
}))

/** Triggers count the changes; a job or an event is when they are looked at. */
export const signalRoutes = ({ store, signals }: Runtime): void => store.afterCommit(() => signals.emit('mailRoutes'))

/** Looks for loops of mail after mail routes have changed, in slices beside requests. */
export class LoopWatch implements Engine {
  readonly #runtime: Runtime
  #check: Promise<void> | undefined
  #cancelTimer = (): void => {}
  #notBefore = 0
  #isStopping = false

  constructor(runtime: Runtime) {
    this.#runtime = runtime
    runtime.signals.on('mailRoutes', this.#arm)
    this.#arm()
  }

  hold(): void {
    this.#isStopping = true
    this.#cancelTimer()
    this.#runtime.signals.off('mailRoutes', this.#arm)
  }

  async stop(): Promise<void> {
    this.hold()
    await this.#check
  }

  readonly #arm = (): void => {
    if (this.#isStopping || this.#check) return
    this.#cancelTimer()
    const { store, clock } = this.#runtime
    const { changed, checked } = queries(store.db).routes.get()!
    const wait = changed === checked ? POLL_INTERVAL_MS : this.#notBefore - clock.now()
    if (wait <= 0) this.#begin(changed)
    else this.#cancelTimer = clock.after(Math.min(wait, POLL_INTERVAL_MS), this.#arm)
  }

  #begin(changed: number): void {
    const { store, clock, log } = this.#runtime
    const { total } = queries(store.db).forwarders.get()!
    this.#check = inSlices('mail loops', undefined, this.#search())
      .then((loops) => loops && store.change(() => record(store.db, loops, changed, clock.now())))
      .catch((error: unknown) => {
        this.#notBefore = clock.now() + POLL_INTERVAL_MS
        log.error({ err: error }, 'mail loops could not be looked for')
      })
      .finally(() => {
        this.#notBefore = Math.max(this.#notBefore, clock.now() + Math.floor(total / FORWARDERS_PER_SECOND) * 1000)
        this.#check = undefined
        this.#arm()
      })
  }

  /** Undefined if it was stopped. */
  *#search(): Steps<FoundLoop[] | undefined> {
    const steps = findLoops(this.#runtime.store.db)
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done) return step.value
      if (this.#isStopping) return undefined
      yield
    }
  }
}

/** Records the loops there are; those from before remember since when. */
function record(db: Db, loops: readonly FoundLoop[], checked: number, since: number): void {
  const existing = loops.filter(({ account_id }) => accountById(db, account_id))
  const ids = JSON.stringify(existing.map(({ object_id }) => object_id))
  db.delete(mailLoops).where(sql`${mailLoops.object_id} NOT IN (SELECT value FROM json_each(${ids}))`).run()
  for (const loop of existing)
    db.insert(mailLoops)
      .values({ ...loop, since })
      .onConflictDoUpdate({ target: mailLoops.object_id, set: loop })
      .run()
  db.update(mailRoutes).set({ checked }).run()
}
