import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import { hostname as machineName } from 'node:os'
import { join, resolve } from 'node:path'
import { createSecureContext } from 'node:tls'
import { areas } from '../areas/index.ts'
import { storePartsOf } from '../runtime/areas/store-parts.ts'
import { systemClock } from '../runtime/clock/clock.ts'
import { allowedFrom, canonicalRange } from '../runtime/operations/address.ts'
import { fingerprintsOf } from '../runtime/operations/fingerprint.ts'
import type { CallLimits } from '../runtime/operations/limits.ts'
import type { Log } from '../runtime/runtime.ts'
import type { RsaKeys } from '../runtime/security/rsa-keys.ts'
import { Leadership } from '../runtime/settings/leadership.ts'
import { serverNames } from '../runtime/settings/server-names.ts'
import { getSetting, setSetting } from '../runtime/settings/settings.ts'
import { socketPath } from '../shared/directory.ts'
import { prepareDirectory } from '../shared/files.ts'
import { isLoopback } from '../shared/loopback.ts'
import { label, MAX_HOSTNAME_LENGTH } from '../shared/patterns.ts'
import { notifyReady } from '../shared/service-manager.ts'
import { readable } from '../shared/system-error.ts'
import type { StoreFailPoint } from '../store/fail-points.ts'
import { begin, noteEnd, refuseCopy } from '../store/incarnation.ts'
import { lockDirectory } from '../store/lock.ts'
import { openStore, type Store } from '../store/open.ts'
import { countSealed } from '../store/reseal.ts'
import { finishSwap } from '../store/swap.ts'
import { agentFor } from './agent.ts'
import { compose, type Panel, type Parts } from './compose.ts'
import { measureConnections } from './connections.ts'
import { ownKeys } from './files.ts'
import { closeServer, listenFront, listenLocal, listenTcp, secured, type Timeouts } from './listen.ts'
import { createLog } from './log.ts'
import { StoredNodeCertificates } from './node-certificates.ts'
import { notifyReplacedServer } from './notify-replaced.ts'
import { OwnCertificate } from './own-certificate.ts'
import { pinOf } from './pin.ts'
import { greet } from './startup-banner.ts'
import type { KeyPair } from './tls.ts'

export interface ServeOptions {
  readonly dataDir: string
  readonly host: string
  readonly port: number
  /** Default: the machine's name. */
  readonly hostname?: string
  readonly tlsCert?: string
  readonly tlsKey?: string
  /** The port for billing systems that speak WHM's API; none by default. */
  readonly whmPort?: number
  /** How long a WHM response waits for its job, in seconds. */
  readonly whmWait?: number
  /** Where nodes connect, if there are any. Default: 7712. */
  readonly nodePort?: number
  /** The socket for nginx, if it serves the panel at the server's own name. */
  readonly frontSocket?: string
  /** Plain HTTP; only on a loopback host. */
  readonly noTls?: boolean
  /** Addresses and ranges of proxies whose X-Forwarded-For is trusted. */
  readonly trustProxy?: readonly string[]
  /** Whether tenants' commands and apps run here, as this server's own user. */
  readonly trustTenants?: boolean
  readonly logLevel?: string
  readonly limits?: CallLimits
  readonly timeouts?: Timeouts
  /** The Node arguments of the host agent; by default the one shipped with this server. */
  readonly agent?: readonly string[]
  /** This machine's agent socket, if not the default. */
  readonly agentSocket?: string
  /** Instead of keys that it makes ahead. */
  readonly rsaKeys?: RsaKeys
  /** Fault injection for tests. */
  readonly failPoints?: { readonly store?: StoreFailPoint }
}

export interface RunningServer {
  readonly url: string
  readonly socket: string
  /** The URL of the WHM-compatible front, if it runs. */
  readonly whmUrl: string | undefined
  /** Finishes requests in flight, requeues running jobs, and closes the store. */
  stop(): Promise<void>
}

const SHUTDOWN_GRACE_MS = 3_000
const DEFAULT_NODE_PORT = 7712

/** Runs the server until SIGINT or SIGTERM. Throws a message for users if it cannot start. */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const settings = check(options)
  process.umask(0o077)
  const log = createLog(options.logLevel ?? 'info')
  process.on('uncaughtExceptionMonitor', (error) =>
    log.error({ err: error }, 'unhandled error: the server is stopping'),
  )
  const undo: Undo = []
  try {
    const running = await start(settings, log, undo)
    onSignals(running, log)
    greet({ ...running, dataDir: settings.dataDir, link: await firstLink(running) })
    notifyReady()
    return running
  } catch (error) {
    await unwind(undo)
    throw error
  }
}

/** Until root has a password: a link that signs root in, but not into the journal of a service, which others read. */
const firstLink = async ({ rootHasNoPassword, rootLink }: Started): Promise<string | undefined> =>
  rootHasNoPassword && process.env['JOURNAL_STREAM'] === undefined ? rootLink() : undefined

/** Clean-up steps, run in reverse order. */
type Undo = (() => void | Promise<void>)[]

async function unwind(undo: Undo): Promise<void> {
  for (let act = undo.pop(); act; act = undo.pop()) await act()
}

type ServerSettings = ReturnType<typeof check>

interface Started extends RunningServer {
  readonly rootHasNoPassword: boolean
  rootLink(): Promise<string | undefined>
  reload(): Promise<void>
}

function check(options: ServeOptions) {
  const { host, port, noTls, tlsCert, tlsKey } = options
  if (noTls && !isLoopback(host))
    throw new Error('--no-tls needs a loopback --host, such as 127.0.0.1: tokens must not travel unencrypted.')
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    throw new Error('--tls-cert and --tls-key must be given together.')
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error('--port must be a number from 0 to 65535.')
  refuseWhmProblems(options)
  refuseNodePort(options)
  const proxies = (options.trustProxy ?? []).map((text) => {
    const range = canonicalRange(text)
    if (!range) throw new Error(`--trust-proxy: ${text} is neither an address nor a CIDR range.`)
    return range
  })
  return { ...options, dataDir: resolve(options.dataDir), hostname: hostNameOf(options.hostname), proxies }
}

function refuseWhmProblems({ whmPort, whmWait, noTls }: ServeOptions): void {
  if (whmPort === undefined) return
  if (noTls) throw new Error('--whm-port needs TLS: leave out --no-tls.')
  if (!Number.isInteger(whmPort) || whmPort < 0 || whmPort > 65_535)
    throw new Error('--whm-port must be a number from 0 to 65535.')
  if (whmWait !== undefined && !(whmWait >= 0 && whmWait <= 300))
    throw new Error('--whm-wait must be a number of seconds from 0 to 300.')
}

function refuseNodePort({ nodePort = DEFAULT_NODE_PORT, port }: ServeOptions): void {
  if (!Number.isInteger(nodePort) || nodePort < 0 || nodePort > 65_535)
    throw new Error('--node-port must be a number from 0 to 65535.')
  if (nodePort !== 0 && nodePort === port) throw new Error('--node-port and --port must differ.')
}

/** The name goes into certificates, links and the host's files, but a machine may be called `My_Server`. */
function hostNameOf(input: string | undefined): string {
  const name = (input ?? machineName()).toLowerCase()
  if (name.length <= MAX_HOSTNAME_LENGTH && new RegExp(`^(?:${label}\\.)*${label}$`).test(name)) return name
  throw new Error(`${name} is not a host name. Name the server with --hostname, as in --hostname panel.example.com.`)
}

async function start(settings: ServerSettings, log: Log, undo: Undo): Promise<Started> {
  const { dataDir } = settings
  prepareDirectory(dataDir)
  undo.push(lockDirectory(join(dataDir, 'panel.lock')))
  finishSwap(dataDir)
  refuseCopy(dataDir)
  const store = openStore(join(dataDir, 'panel.db'), {
    ...storePartsOf(areas),
    ...(settings.failPoints?.store ? { onFailPoint: settings.failPoints.store } : {}),
  })
  undo.push(() => store.close())
  await begin(dataDir, store)
  undo.push(() => noteEndOf(dataDir, store, log))
  const own = ownOf(settings, store)
  const pair = await keyPair(settings, own)
  let tcp: Server | undefined
  let whm: Server | undefined
  const presented = { pin: pair && pinOf(pair.cert) }
  let current: string | undefined
  const origin = (): string => current ?? originOf(settings, tcp)
  const whmUrl = () => whm && originOf({ ...settings, port: 0 }, whm)
  const panel = await compose({
    ...parts(settings, store, log, origin),
    certificate: own,
    nodeCertificates: new StoredNodeCertificates(join(settings.dataDir, 'tls/nodes'), systemClock.now),
    whmUrl,
    pin: () => presented.pin,
  })
  undo.push(() => panel.stop())
  const servers: (Server | HttpsServer)[] = []
  undo.push(async () => {
    panel.beginStop()
    await Promise.all(servers.map((server) => closeServer(server, SHUTDOWN_GRACE_MS)))
  })
  const listening = await listenTcp(panel.app, settings, pair, settings.timeouts, trusted(settings))
  servers.push(listening)
  tcp = listening
  current = origin()
  whm = await listenWhm(panel, settings, pair)
  if (whm) servers.push(whm)
  const socket = socketPath(dataDir)
  const local = await listenLocal(panel.app, socket)
  servers.push(local)
  await noteAddress(store, origin())
  undo.push(notifyReplacedServer(panel.runtime, origin()))
  if (settings.frontSocket !== undefined) servers.push(await listenFront(panel.app, settings.frontSocket))
  measureConnections(panel.runtime.metrics, { tcp: listening, local })
  const reload = async () => {
    presented.pin = await showAnew(settings, own, servers.filter(isSecure), log)
  }
  if (!settings.tlsCert) own.changed = () => void reload().catch(() => {})
  return {
    url: `${origin()}/api/v1`,
    socket,
    rootHasNoPassword: getSetting(store.db, 'root_password_hash') === undefined,
    rootLink: () => rootLink(panel),
    whmUrl: whmUrl(),
    stop: once(() => unwind(undo)),
    reload,
  }
}

/** As a caller on the local socket would request it. */
async function rootLink({ app }: Panel): Promise<string | undefined> {
  const json = { 'content-type': 'application/json' }
  const answer = await app.request(
    '/api/v1/root/sso',
    { method: 'POST', headers: json, body: '{}' },
    { local: true, own: true },
  )
  return answer.ok ? ((await answer.json()) as { url: string }).url : undefined
}

const trusted =
  ({ proxies }: Pick<ServerSettings, 'proxies'>) =>
  (address: string): boolean =>
    proxies.length > 0 && allowedFrom(proxies, address)

async function listenWhm(
  { whm }: Panel,
  settings: ServerSettings,
  pair: KeyPair | undefined,
): Promise<Server | undefined> {
  const { host, whmPort, timeouts } = settings
  if (whmPort === undefined) return undefined
  return listenTcp(whm, { host, port: whmPort }, pair, timeouts, trusted(settings))
}

const ownOf = ({ dataDir, hostname }: ServerSettings, { db }: Store): OwnCertificate =>
  new OwnCertificate(
    join(dataDir, 'tls'),
    () => serverNames(db, hostname),
    () => systemClock.now(),
  )

function parts(
  settings: ServerSettings,
  store: Store,
  log: Log,
  origin: () => string,
): Omit<Parts, 'certificate' | 'nodeCertificates'> {
  const { dataDir, hostname, proxies, agent, agentSocket, limits, rsaKeys, trustTenants = false } = settings
  const keys = keysOf(dataDir, store, log)
  const leadership = new Leadership({ store, fingerprint: fingerprintsOf(keys[0]!), log })
  return {
    store,
    leadership,
    host: agentFor(dataDir, log, { words: agent, socket: agentSocket, trustTenants, leadership }),
    trustTenants,
    nodePort: { host: settings.host, port: settings.nodePort ?? DEFAULT_NODE_PORT },
    clock: systemClock,
    log,
    hostname,
    origin,
    keys,
    ...(limits ? { limits } : {}),
    ...(rsaKeys ? { rsaKeys } : {}),
    ...(settings.whmWait === undefined ? {} : { whmWait: settings.whmWait * 1000 }),
    trusts: trusted({ proxies }),
  }
}

function keysOf(dataDir: string, { sqlite }: Store, log: Log): Buffer[] {
  const keys = ownKeys(dataDir, () => countSealed(sqlite, storePartsOf(areas).sealed))
  if (keys.length > 1) log.warn({}, 'a change of secret.key was interrupted: finish it with `panel secret rotate`')
  return keys
}

/** Records the address, so that a server taking over from a copy knows where to find this one. */
async function noteAddress(store: Store, origin: string): Promise<void> {
  if (getSetting(store.db, 'served_at') === origin) return
  await store.change(() => setSetting(store.db, 'served_at', origin))
}

/** A disk that refuses writes must not prevent the shutdown. */
function noteEndOf(dataDir: string, store: Store, log: Log): void {
  try {
    noteEnd(dataDir, store)
  } catch (error) {
    log.warn({ err: error }, 'the position of the store could not be recorded')
  }
}

async function keyPair(settings: ServerSettings, own: OwnCertificate): Promise<KeyPair | undefined> {
  if (settings.noTls) return undefined
  if (settings.tlsCert && settings.tlsKey) return readPair(settings.tlsCert, settings.tlsKey)
  return own.current()
}

function readPair(certFile: string, keyFile: string): KeyPair {
  const pair = { cert: contentOf(certFile), key: contentOf(keyFile) }
  try {
    createSecureContext(pair)
  } catch (error) {
    throw new Error(`${certFile} and ${keyFile} are not a certificate and its key in PEM form.`, { cause: error })
  }
  return pair
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw readable(error)
  }
}

const isSecure = (server: Server | HttpsServer): server is HttpsServer => 'setSecureContext' in server

async function showAnew(
  settings: ServerSettings,
  own: OwnCertificate,
  servers: readonly HttpsServer[],
  log: Log,
): Promise<string | undefined> {
  const pair = await keyPair(settings, own)
  if (pair) for (const server of servers) server.setSecureContext({ ...secured, cert: pair.cert, key: pair.key })
  log.info({}, 'certificate reloaded')
  return pair && pinOf(pair.cert)
}

/** With --port 0 the port is known once it listens. */
function originOf({ hostname, port, noTls }: ServerSettings, server: Server | undefined): string {
  const address = server?.address()
  const actual = typeof address === 'object' && address ? address.port : port
  return `${noTls ? 'http' : 'https'}://${hostname}:${actual}`
}

function onSignals({ stop, reload: again }: { stop(): Promise<void>; reload(): Promise<void> }, log: Log): void {
  const end = (signal: NodeJS.Signals): void => {
    log.info({ signal }, 'stopping')
    void stop().catch((error: unknown) => {
      log.error({ err: error }, 'could not stop cleanly')
      process.exitCode = 1
    })
  }
  process.once('SIGTERM', end)
  process.once('SIGINT', end)
  process.on(
    'SIGHUP',
    () =>
      void again().catch((error: unknown) =>
        log.error({ err: error }, 'the certificate could not be loaded; the old one stays in use'),
      ),
  )
}

function once(act: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => {
    done ??= act()
    return done
  }
}
