import { dirname } from 'node:path'
import { type Progress, progressOf, replicaOf } from '../../shared/replica.ts'
import type { Store } from '../../store/open.ts'
import type { Clock } from '../clock/clock.ts'
import type { Metrics } from './registry.ts'

const POLL_INTERVAL_MS = 2_000

interface ReplicaReading {
  readonly at: number
  readonly read: number
}

/**
 * The age of the replica. Once what the replicator had read at a moment is copied, the replica is as new as that
 * moment. Moments while the replicator is not reading the store do not count.
 */
export class Freshness {
  #fresh: number
  #last: Progress | undefined
  #looks: ReplicaReading[] = []

  constructor(now: number) {
    this.#fresh = now
  }

  /** Takes the replicator's response, undefined if there was none. */
  heard(now: number, progress: Progress | undefined): void {
    if (!progress) return
    const last = this.#last
    this.#last = progress
    const isNew = !last || progress.looks < last.looks || progress.read < last.read
    if (isNew) this.#looks = []
    if (isNew || progress.looks > last.looks) this.#looks.push({ at: now, read: progress.read })
    for (const { at, read } of this.#looks) if (read <= progress.copied) this.#fresh = Math.max(this.#fresh, at)
    this.#looks = this.#looks.filter(({ read }) => read > progress.copied)
    if (this.#looks.length > MAX_ENTRIES) this.#looks.splice(1, 1)
  }

  age(now: number): number {
    return Math.max(0, now - this.#fresh) / 1000
  }
}

const MAX_ENTRIES = 100

/** Follows the replica of a data directory, where one was set up. */
export class ReplicaWatch {
  readonly #dataDir: string
  readonly #clock: Clock
  #freshness: Freshness | undefined

  constructor(store: Store, clock: Clock) {
    this.#dataDir = dirname(store.sqlite.name)
    this.#clock = clock
  }

  /** Asks the replicator how far it is; false without a replica. */
  async look(): Promise<boolean> {
    const replica = replicaOf(this.#dataDir)
    this.#freshness = replica && (this.#freshness ?? new Freshness(this.#clock.now()))
    if (!replica) return false
    const progress = await progressOf(replica)
    this.#freshness?.heard(this.#clock.now(), progress)
    return true
  }

  /** Undefined without a replica. */
  get ageSeconds(): number | undefined {
    return this.#freshness?.age(this.#clock.now())
  }
}

/** Only registered if a replica was set up. */
export function measureReplica(metrics: Metrics, store: Store, clock: Clock): () => void {
  const replica = new ReplicaWatch(store, clock)
  let cancel = (): void => {}
  let over = false
  const look = async (): Promise<void> => {
    if (over || !(await replica.look()) || over) return
    cancel = clock.after(POLL_INTERVAL_MS, begin)
  }
  const begin = (): void => void look().catch(() => {})
  const samples = () => {
    if (replica.ageSeconds === undefined) begin()
    return replica.ageSeconds === undefined ? [] : [{ value: replica.ageSeconds }]
  }
  const help = 'Age of the second copy of the store, where one was set up.'
  metrics.add({ name: 'panel_store_replica_age_seconds', help, type: 'gauge', samples })
  begin()
  return () => {
    over = true
    cancel()
  }
}
