import type { HostClient } from '../../host/client.ts'
import type { AppStatus } from '../../host/driver.ts'
import type { Engine } from '../../runtime/engine.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { pause } from '../../runtime/tick.ts'
import { isProgram } from './kinds.ts'
import { anyRuns, appById, observe } from './store.ts'

declare module '../../runtime/runtime.ts' {
  interface Signals {
    /** What is to run has changed. */
    appChange: []
  }
}

const afterFault = 5_000

/** Keeps the agent while apps are to run, and writes down what it says of them. */
export class AppWatch implements Engine {
  readonly #runtime: Runtime
  readonly #client: HostClient
  readonly #stopping = new AbortController()
  readonly #watching: Promise<void>
  #wake = (): void => {}

  constructor(runtime: Runtime, client: HostClient) {
    this.#runtime = runtime
    this.#client = client
    runtime.signals.on('appChange', this.#hear)
    this.#watching = this.#watch()
  }

  hold(): void {
    this.#runtime.signals.off('appChange', this.#hear)
    this.#stopping.abort()
    this.#wake()
  }

  async stop(): Promise<void> {
    this.hold()
    await this.#watching
  }

  readonly #hear = (): void => this.#wake()

  async #watch(): Promise<void> {
    let after: string | undefined
    while (!this.#stopping.signal.aborted) {
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

  /** Waits for news, as long as nothing else has changed. */
  async #look(after: string | undefined): Promise<string | undefined> {
    const { clock, log } = this.#runtime
    const over = new AbortController()
    this.#wake = () => over.abort()
    const signal = AbortSignal.any([over.signal, this.#stopping.signal])
    try {
      const { at, items } = await this.#client.appStatus(after, { signal })
      await this.#write(items)
      return at
    } catch (error) {
      if (signal.aborted) return after
      log.warn({ err: error }, 'the state of apps is not known')
      await pause(clock, afterFault, signal)
      return undefined
    }
  }

  async #write(items: readonly AppStatus[]): Promise<void> {
    const { store, clock } = this.#runtime
    const news = items.filter((item) => differs(this.#runtime, item))
    if (news.length === 0) return
    await store.change(() => {
      for (const item of news) {
        const app = appById(store.db, item.id)
        if (app) observe({ store }, app, item, clock.now())
      }
    })
  }
}

function differs({ store }: Runtime, { id, status, reason }: AppStatus): boolean {
  const app = appById(store.db, id)
  return app !== undefined && isProgram(app.kind) && (app.observed !== status || app.status_reason !== (reason ?? null))
}
