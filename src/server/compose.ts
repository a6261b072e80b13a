import { createHmac } from 'node:crypto'
import type { Hono } from 'hono'
import { finders, hasFeature, jobKinds, sessionUses, startMeasuring, tokenUses } from '../areas/index.ts'
import { bootstrap } from '../areas/server/bootstrap.ts'
import { Dispatcher } from '../areas/webhooks/dispatch.ts'
import { deliverEvent } from '../areas/webhooks/outbox.ts'
import { pruneDeliveries } from '../areas/webhooks/prune.ts'
import type { HostDriver } from '../host/driver.ts'
import { Outgoing } from '../outgoing/client.ts'
import type { Guards } from '../outgoing/connect.ts'
import type { Clock } from '../runtime/clock.ts'
import { Health } from '../runtime/health.ts'
import { idFactory } from '../runtime/ids.ts'
import { Limiter, type Limits } from '../runtime/limits.ts'
import { measureAll } from '../runtime/metrics/index.ts'
import { Metrics } from '../runtime/metrics/registry.ts'
import { Requests } from '../runtime/metrics/requests.ts'
import type { Ports } from '../runtime/ports.ts'
import { startPruning } from '../runtime/prune.ts'
import { lastJob } from '../runtime/queue.ts'
import { type Log, newSignals, type Runtime } from '../runtime/runtime.ts'
import { sealsOf } from '../runtime/seal.ts'
import { getSetting } from '../runtime/settings.ts'
import { Worker } from '../runtime/worker.ts'
import type { Store } from '../store/open.ts'
import { createApp } from './app.ts'
import type { Environment } from './environment.ts'
import type { AppOptions } from './options.ts'

export interface Parts {
  readonly store: Store
  readonly driver: HostDriver
  readonly clock: Clock
  readonly log: Log
  readonly hostname: string
  /** Scheme, host and port it is reached at, known once it listens: `https://host:7711`. */
  readonly origin: () => string
  /** The server's own secret, 32 bytes. */
  readonly key: Buffer
  readonly limits?: Limits
  readonly trusts?: (address: string) => boolean
  /** Name servers, address rules and certificates of a test, in place of the real ones. */
  readonly outgoing?: Partial<Guards>
  readonly observe?: AppOptions['observe']
}

/** A panel without listeners. */
export interface Panel {
  readonly runtime: Runtime
  readonly worker: Worker
  readonly dispatcher: Dispatcher
  readonly app: Hono<{ Bindings: Environment }>
  /** Answers whoever waits for events, so that their connections can close. */
  beginStop(): void
  stop(): Promise<void>
}

/** Puts store, runtime, areas and routes together, and starts the work behind them. */
export async function compose(parts: Parts): Promise<Panel> {
  const runtime = runtimeOf(parts)
  await bootstrap(runtime)
  const { undone } = await parts.driver.recover()
  if (undone.length > 0) runtime.log.warn({ undone }, 'changes to the host that a crash left half done were undone')
  const worker = new Worker(runtime)
  await worker.start()
  const dispatcher = new Dispatcher(runtime, outgoingOf(parts))
  await dispatcher.start()
  const stops = [startMeasuring(runtime, parts.driver), startPruning(runtime), measureAll(runtime)]
  const health = new Health(runtime, [worker, dispatcher])
  const stopping = new AbortController()
  const app = createApp({
    runtime,
    origin: parts.origin,
    trusts: parts.trusts ?? (() => false),
    healthy: () => health.check(),
    requests: new Requests(runtime.metrics),
    stopping: stopping.signal,
    ...(parts.observe ? { observe: parts.observe } : {}),
  })
  const beginStop = (): void => {
    dispatcher.hold()
    stopping.abort()
  }
  const stop = async (): Promise<void> => {
    beginStop()
    await Promise.all([worker.stop(), dispatcher.stop(), ...stops.map((end) => end())])
    await tokenUses(runtime).flush()
    await sessionUses(runtime).flush()
  }
  return { runtime, worker, dispatcher, app, beginStop, stop }
}

function runtimeOf(parts: Parts): Runtime {
  const { store, clock, log, hostname } = parts
  return {
    store,
    clock,
    log,
    hostname,
    get baseUrl() {
      return `${parts.origin()}/api/v1`
    },
    signals: newSignals(),
    kinds: jobKinds({ db: store.db, driver: parts.driver, hostname }),
    ports: portsOf(store),
    limiter: new Limiter(clock, parts.limits),
    metrics: new Metrics(),
    id: idFactory(clock, lastJob(store.db)),
    ...sealsOf(parts.key),
    fingerprint: (text) => createHmac('sha256', parts.key).update(text).digest('hex'),
  }
}

const outgoingOf = ({ origin, outgoing }: Parts): Outgoing =>
  new Outgoing({ panelPorts: () => [portOf(origin())], ...outgoing })

const portOf = (origin: string): number => Number(new URL(origin).port) || (origin.startsWith('https') ? 443 : 80)

function portsOf(store: Store): Ports {
  return {
    finders,
    hasFeature,
    lapsed: (now) => {
      const until = getSetting(store.db, 'license_valid_until') ?? null
      return until !== null && until <= now
    },
    onEvent: [deliverEvent],
    onPrune: [pruneDeliveries],
  }
}
