import { setMaxListeners } from 'node:events'
import type { Hono } from 'hono'
import { areas, finders, services } from '../areas/index.ts'
import { version } from '../contract/version.ts'
import type { AgentClient } from '../host/agent/client/client.ts'
import { Links } from '../host/nodes/fleet/fleet.ts'
import { Router } from '../host/nodes/fleet/router.ts'
import { TlsNodePort } from '../host/nodes/panel/port.ts'
import { Outgoing } from '../outgoing/client.ts'
import type { Guards } from '../outgoing/connect.ts'
import { type Lookups, systemLookups } from '../outgoing/lookups.ts'
import type { Outside } from '../runtime/areas/area.ts'
import type { Engine } from '../runtime/areas/engine.ts'
import { kindsOf, portsOf } from '../runtime/areas/merge-areas.ts'
import { storePartsOf } from '../runtime/areas/store-parts.ts'
import type { Clock } from '../runtime/clock/clock.ts'
import { idFactory } from '../runtime/clock/ids.ts'
import { startPruning } from '../runtime/events/prune.ts'
import type { JobKind } from '../runtime/jobs/job-kind.ts'
import { NodeGate } from '../runtime/jobs/nodes.ts'
import { lastJob } from '../runtime/jobs/queue.ts'
import { Worker } from '../runtime/jobs/worker.ts'
import { Health } from '../runtime/metrics/health.ts'
import { measureAll } from '../runtime/metrics/index.ts'
import { Metrics } from '../runtime/metrics/registry.ts'
import { Requests } from '../runtime/metrics/requests.ts'
import { canonicalAddress, networkOf } from '../runtime/operations/address.ts'
import { fingerprintsOf } from '../runtime/operations/fingerprint.ts'
import { type CallLimits, Limiter } from '../runtime/operations/limits.ts'
import { type Log, newSignals, type Runtime } from '../runtime/runtime.ts'
import { KeyPool, type RsaKeys } from '../runtime/security/rsa-keys.ts'
import { encryptionOf } from '../runtime/security/seal.ts'
import type { NodeCertificates, ServerCertificate } from '../runtime/security/server-certificate.ts'
import { firstStart } from '../runtime/settings/bootstrap.ts'
import { Leadership } from '../runtime/settings/leadership.ts'
import type { Store } from '../store/open.ts'
import { createWhm } from '../whm/app.ts'
import { createApp } from './app.ts'
import type { Environment } from './environment.ts'
import type { AppOptions } from './options.ts'
import { whmServerOf } from './whm.ts'

export interface Parts {
  readonly store: Store
  readonly host: AgentClient
  /** By default a new one, of which its host is not told. */
  readonly leadership?: Leadership
  readonly certificate: ServerCertificate
  readonly nodeCertificates: NodeCertificates
  readonly clock: Clock
  readonly log: Log
  readonly hostname: string
  /** Its external URL, known once it listens: `https://host:7711`. */
  readonly origin: () => string
  /** The pin of a self-signed certificate. */
  readonly pin?: () => string | undefined
  /** The server's secret keys, 32 bytes each; the first one encrypts. */
  readonly keys: readonly Buffer[]
  readonly limits?: CallLimits
  readonly trusts?: (address: string) => boolean
  /** A test's name servers, address rules and certificates. */
  readonly outgoing?: Partial<Guards>
  /** A test's RSA keys. */
  readonly rsaKeys?: RsaKeys
  readonly lookups?: Lookups
  readonly observe?: AppOptions['observe']
  /** The URL of the WHM-compatible front, once it listens. */
  readonly whmUrl?: () => string | undefined
  /** Whether this server runs tenants' code. */
  readonly trustTenants?: boolean
  /** Where nodes connect, if there are any. */
  readonly nodePort?: { readonly host: string; readonly port: number }
  /** How long the WHM-compatible front waits for a job, in milliseconds. */
  readonly whmWait?: number | undefined
}

/** A panel without listeners. */
export interface Panel {
  readonly runtime: Runtime
  /** The connected hosts. */
  readonly fleet: Links
  readonly worker: Worker
  /** Background engines, by area name. */
  readonly engines: ReadonlyMap<string, Engine>
  readonly app: Hono<{ Bindings: Environment }>
  /** The WHM-compatible front. */
  readonly whm: Hono<{ Bindings: Environment }>
  /** Completes requests that wait for events, so that their connections can close. */
  beginStop(): void
  stop(): Promise<void>
}

/** Composes store, runtime, areas and routes, and starts the background work. */
export async function compose(parts: Parts): Promise<Panel> {
  const { certificate, nodeCertificates, lookups = systemLookups } = parts
  const fleet = new Links(parts.host)
  const host = new Router(fleet, {
    nodeOf: (account) => services.nodeOf(parts.store.db, account),
    holdsAccounts: (node) => services.holdsAccounts(parts.store.db, node),
    after: (ms, act) => runtime.clock.after(ms, act),
    failed: (node, error) => parts.log.warn({ err: error, node }, 'a node did not answer'),
  })
  const outside = {
    host,
    fleet,
    nodePort: nodePortOf(parts, () => runtime.leadership),
    outgoing: outgoingOf(parts),
    lookups,
    certificate,
    nodeCertificates,
  }
  const runtime: Runtime = runtimeOf(parts, outside)
  await firstStart(runtime)
  for (const { prepare } of runtime.areas) await prepare?.(runtime, outside)
  const worker = new Worker(runtime)
  await worker.start()
  const engines = await startEngines(runtime, outside)
  const working: readonly Engine[] = [worker, ...engines.values()]
  const stops = [startPruning(runtime), measureAll(runtime)]
  const health = new Health(runtime, working)
  const stopping = new AbortController()
  // Each request waiting for a host adds a listener.
  setMaxListeners(0, stopping.signal)
  const options: AppOptions = {
    runtime,
    origin: parts.origin,
    pin: parts.pin ?? (() => undefined),
    trusts: parts.trusts ?? (() => false),
    healthy: () => health.check(),
    requests: new Requests(runtime.metrics),
    stopping: stopping.signal,
    ...(parts.observe ? { observe: parts.observe } : {}),
  }
  const app = createApp(options)
  const whm = createWhm(whmServerOf(options, parts.whmWait))
  const beginStop = (): void => {
    for (const engine of engines.values()) engine.hold?.()
    stopping.abort()
  }
  const stop = async (): Promise<void> => {
    beginStop()
    await Promise.all([...working.map((engine) => engine.stop()), ...stops.map((end) => end())])
    await parts.host.close()
    // Waits for the queued changes; the last one may be refused.
    await parts.store.change(() => {}).catch(() => {})
  }
  return { runtime, fleet, worker, engines, app, whm, beginStop, stop }
}

async function startEngines(runtime: Runtime, outside: Outside): Promise<ReadonlyMap<string, Engine>> {
  const engines = new Map<string, Engine>()
  for (const { name, start } of runtime.areas) if (start) engines.set(name, await start(runtime, outside))
  return engines
}

function runtimeOf(parts: Parts, outside: Outside): Runtime {
  const { store, clock, log, hostname } = parts
  const signals = newSignals()
  const fingerprint = fingerprintsOf(parts.keys[0]!)
  const runtime = {
    areas,
    store,
    clock,
    log,
    hostname,
    leadership: parts.leadership ?? new Leadership({ store, fingerprint, log }),
    runsTenantCode: parts.host.kind === 'debian' || (parts.trustTenants ?? false),
    get baseUrl() {
      return `${parts.origin()}/api/v1`
    },
    get whmUrl() {
      return parts.whmUrl?.()
    },
    signals,
    nodes: new NodeGate(signals),
    kinds: new Map() as ReadonlyMap<string, JobKind>,
    ports: portsOf(areas, finders, services),
    rsaKeys: parts.rsaKeys ?? new KeyPool(),
    limiter: new Limiter(clock, parts.limits),
    metrics: new Metrics(),
    id: idFactory(clock, lastJob(store.db)),
    ...encryptionOf(parts.keys, storePartsOf(areas).sealed),
    fingerprint,
  }
  // Kinds need the runtime that lists them.
  runtime.kinds = kindsOf(runtime, outside)
  return runtime
}

const nodePortOf = ({ nodePort, clock, log }: Parts, leadership: () => Leadership): TlsNodePort =>
  new TlsNodePort({
    ...{ host: '127.0.0.1', port: 0, ...nodePort },
    ...{ build: version, clock, log },
    networkOf: (address) => networkOf(canonicalAddress(address)),
    leadership: {
      get claim() {
        return leadership().claim
      },
      hear: (later) => leadership().hear(later),
    },
  })

const outgoingOf = ({ origin, outgoing }: Parts): Outgoing =>
  new Outgoing({ panelPorts: () => [portOf(origin())], ...outgoing })

const portOf = (origin: string): number => Number(new URL(origin).port) || (origin.startsWith('https') ? 443 : 80)
