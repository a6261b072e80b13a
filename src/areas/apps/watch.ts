import type { HostClient } from '../../host/contract/client.ts'
import type { AppStatus } from '../../host/contract/driver.ts'
import type { Fleet } from '../../host/nodes/fleet/fleet.ts'
import type { Engine } from '../../runtime/areas/engine.ts'
import { pause } from '../../runtime/clock/interval.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { localNode } from '../../shared/node-name.ts'
import type { Db } from '../../store/open.ts'
import { anyRuns, appById, observe, programsAmong } from './store.ts'

declare module '../../runtime/runtime.ts' {
  interface Signals {
    /** The set of apps that should run has changed. */
    appChange: []
  }
}

const RETRY_PAUSE_MS = 5_000
/** Between looks at another node's apps: it chooses how soon it answers, and each answer can be a commit. */
const NODE_PAUSE_MS = 1_000
/** Apps per commit. */
const WRITTEN_AT_ONCE = 500

/** Watches the apps of each node while it is connected. */
export class AppsWatch implements Engine {
  readonly #runtime: Runtime
  readonly #fleet: Fleet
  readonly #nodes = new Map<string, NodeWatch>()

  constructor(runtime: Runtime, fleet: Fleet) {
    this.#runtime = runtime
    this.#fleet = fleet
    runtime.signals.on('nodeOpen', this.#begin)
    for (const node of runtime.nodes.live) this.#begin(node)
  }

  readonly #begin = (node: string): void => {
    if (this.#nodes.has(node) || !this.#isLinked(node)) return
    const watch = new NodeWatch(this.#runtime, this.#fleet, node)
    this.#nodes.set(node, watch)
    void watch.ended.then(() => this.#forget(node, watch))
  }

  readonly #isLinked = (node: string): boolean => this.#fleet.linked.some(([name]) => name === node)

  /** A node that came back before its watch ended gets a new one. */
  #forget(node: string, watch: NodeWatch): void {
    this.#nodes.delete(node)
    if (!watch.isBusy && this.#runtime.nodes.why(node) === undefined) this.#begin(node)
  }

  hold(): void {
    this.#runtime.signals.off('nodeOpen', this.#begin)
    for (const watch of this.#nodes.values()) watch.hold()
  }

  async stop(): Promise<void> {
    this.hold()
    await Promise.all([...this.#nodes.values()].map(({ ended }) => ended))
  }
}

/** Keeps an agent running while apps should run, and records what it reports, until its node disconnects. */
class NodeWatch {
  readonly ended: Promise<void>
  readonly #runtime: Runtime
  readonly #client: HostClient
  readonly #isLocal: boolean
  readonly #isLost: () => boolean
  readonly #stopping = new AbortController()
  #wake = (): void => {}

  constructor(runtime: Runtime, fleet: Fleet, node: string) {
    this.#runtime = runtime
    this.#client = fleet.driverOf(node)
    this.#isLocal = node === localNode
    this.#isLost = () => !this.#isLocal && fleet.driverOf(node) !== this.#client
    runtime.signals.on('appChange', this.#hear)
    this.ended = this.#watch().finally(() => void runtime.signals.off('appChange', this.#hear))
  }

  get isBusy(): boolean {
    return this.#stopping.signal.aborted
  }

  hold(): void {
    this.#stopping.abort()
    this.#wake()
  }

  readonly #hear = (): void => this.#wake()

  async #watch(): Promise<void> {
    let after: string | undefined
    while (!this.isBusy && !this.#isLost()) {
      const runs = anyRuns(this.#runtime.store.db)
      this.#client.stay('apps', runs)
      after = runs ? await this.#look(after) : await this.#change()
    }
  }

  #change(): Promise<undefined> {
    return new Promise((resolve) => {
      this.#wake = () => resolve(undefined)
    })
  }

  /** Waits for news until something else changes. */
  async #look(after: string | undefined): Promise<string | undefined> {
    const { clock, log } = this.#runtime
    const over = new AbortController()
    this.#wake = () => over.abort()
    const signal = AbortSignal.any([over.signal, this.#stopping.signal])
    try {
      const { at, items } = await this.#client.appStatus({ after }, { signal })
      await this.#write(items)
      if (!this.#isLocal) await pause(clock, NODE_PAUSE_MS, signal)
      return at
    } catch (error) {
      if (signal.aborted || this.#isLost()) return after
      log.warn({ err: error }, 'the state of apps is not known')
      await pause(clock, RETRY_PAUSE_MS, signal)
      return undefined
    }
  }

  async #write(items: readonly AppStatus[]): Promise<void> {
    const { store, clock } = this.#runtime
    const news = newsIn(store.db, items)
    for (let from = 0; from < news.length; from += WRITTEN_AT_ONCE)
      await store.change(() => {
        for (const item of news.slice(from, from + WRITTEN_AT_ONCE)) {
          const app = appById(store.db, item.id)
          if (app) observe({ store }, app, item, clock.now())
        }
      })
  }
}

/** What the store does not know yet. One query: a node chooses how many apps it reports. */
function newsIn(db: Db, items: readonly AppStatus[]): AppStatus[] {
  const reported = new Map(items.map((item) => [item.id, item]))
  return programsAmong(db, [...reported.keys()]).flatMap(({ id, observed, status_reason }) => {
    const item = reported.get(id)!
    return observed === item.status && status_reason === (item.reason ?? null) ? [] : [item]
  })
}
