import {
  type Announced,
  type Joined,
  JoinRefused,
  type JoinRequest,
  type KnownNode,
  type NodeKeeper,
  type NodeLinked,
  type NodeRefused,
  type NodeRejected,
  type PortCredentials,
} from '../../../host/contract/node-port.ts'
import type { Outside } from '../../../runtime/areas/area.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { hour, minute } from '../../../shared/time.ts'
import { admit } from '../join/admit.ts'
import { controlAddresses } from '../join/settings.ts'
import { whyRetired } from '../retire.ts'
import { nodeById } from '../store.ts'
import type { NodeRow } from '../tables.ts'
import { authoritiesOf, endOf, portCredentials, renewedAfter } from '../trust/keys.ts'
import { findElsewhere } from './elsewhere.sql.ts'
import { noteNode, record, setNode } from './record.ts'

/** Nodes report their free space once a minute; one that reports more often must not cause constant writes. */
const RETRY_PAUSE_MS = 10_000

/** A node that connects again and again is reported down once in this time. */
const MIN_DOWN_INTERVAL_MS = 10 * minute

/** A node's outage that is reported later, unless it is over by then. */
interface Unreported {
  readonly cancel: () => void
  readonly reason: string
}

/** Tells the node port whom to admit, and records what it reports about nodes. */
export class Keeper implements NodeKeeper {
  readonly #runtime: Runtime
  readonly #fleet: Outside['fleet']
  readonly #linked = new Set<string>()
  /** Until when each refusal is not recorded again. */
  readonly #noted = new Map<string, number>()
  /** When each node's free space was last written. */
  readonly #measured = new Map<string, number>()
  /** When each node was last reported down. */
  readonly #reported = new Map<string, number>()
  readonly #unreported = new Map<string, Unreported>()
  #over = false

  constructor(runtime: Runtime, fleet: Outside['fleet']) {
    this.#runtime = runtime
    this.#fleet = fleet
  }

  isLinked(name: string): boolean {
    return this.#linked.has(name)
  }

  credentials(): Promise<PortCredentials> {
    return portCredentials(this.#runtime)
  }

  find(id: string): KnownNode | undefined {
    return nodeById(this.#runtime.store.db, id)
  }

  announced(): Announced {
    return { authorities: authoritiesOf(this.#runtime.store.db), addresses: controlAddresses(this.#runtime) }
  }

  async join(request: JoinRequest): Promise<Joined> {
    const admitted = await admit(this.#runtime, request).catch((error: unknown) => this.#joinRefused(request, error))
    return { ...admitted, ...this.announced() }
  }

  /** Recorded once a minute per node: joining can be attempted endlessly. */
  #joinRefused({ node: id, address }: JoinRequest, error: unknown): never {
    const node = nodeById(this.#runtime.store.db, id)
    if (node && error instanceof JoinRefused) this.#noteOnce(id, minute, node, { reason: error.message, address })
    throw error
  }

  renewed({ id }: KnownNode, certificate: string): Promise<string | undefined> {
    return renewedAfter(this.#runtime, certificate, id)
  }

  certified({ id }: KnownNode, certificate: string): void {
    this.#change(() => setNode(this.#runtime, id, this.#lasting(id, certificate)))
  }

  /** A certificate's expiry; a later one resets the notice about the earlier. */
  #lasting(id: string, certificate: string): Pick<NodeRow, 'certificate_expires_at'> & Partial<NodeRow> {
    const [ends, known] = [endOf(certificate), nodeById(this.#runtime.store.db, id)?.certificate_expires_at ?? 0]
    return { certificate_expires_at: ends, ...(ends > known && { expiry_told_at: null }) }
  }

  findElsewhere(kind: 'account' | 'app', ids: readonly string[], node: string): string | undefined {
    return findElsewhere(this.#runtime.store.sqlite, kind, ids, node)
  }

  /** Calls `isRequested` again when writing. */
  reportedFreeSpace({ id }: KnownNode, diskFreeMb: number, isCurrent = (): boolean => true): void {
    const known = nodeById(this.#runtime.store.db, id)?.disk_free_mb ?? undefined
    const now = this.#runtime.clock.now()
    const isSoon = now < (this.#measured.get(id) ?? 0) + RETRY_PAUSE_MS
    if (known !== undefined && (isSoon || Math.abs(diskFreeMb - known) <= known / 100)) return
    this.#measured.set(id, now)
    this.#change(() => {
      if (isCurrent()) setNode(this.#runtime, id, { disk_free_mb: diskFreeMb })
    })
  }

  linked({ node, client, build, protocol, certificate, diskFreeMb, hostname = '' }: NodeLinked): void {
    const runtime = this.#runtime
    this.#linked.add(node.name)
    this.#fleet.attach(node.name, client)
    runtime.nodes.open(node.name)
    runtime.log.info({ node: node.name, build }, 'a node has connected')
    this.#change(() => {
      const wasDown = nodeById(runtime.store.db, node.id)?.down_at
      const room = diskFreeMb === undefined ? {} : { disk_free_mb: diskFreeMb }
      const machine = { driver: client.kind, hostname: hostname || null }
      const seen = { version: build, ...machine, protocol: protocol.max, last_seen_at: runtime.clock.now() }
      const lasting = this.#lasting(node.id, certificate)
      setNode(runtime, node.id, { ...seen, ...room, ...lasting, incompatible: null, down_at: null })
      if (wasDown) this.#reportUp(node)
      runtime.store.afterCommit(() => runtime.signals.emit('nodeLinked', node.name))
    })
  }

  #reportUp({ id, name }: KnownNode): void {
    if (!this.#forget(id)) record(this.#runtime, { type: 'node.up', object_id: id, details: { name } })
  }

  /** Whether the node's outage was still to be reported. */
  #forget(id: string): boolean {
    this.#unreported.get(id)?.cancel()
    return this.#unreported.delete(id)
  }

  /** The server is stopping: links that end now say nothing about the nodes, but what was to be reported is. */
  end(): void {
    this.#over = true
    for (const [id, { reason }] of this.#unreported) this.#change(() => this.#reportStill(id, reason))
  }

  /** Nothing asked of it will ever be answered. */
  giveUp({ name }: Pick<KnownNode, 'name'>): void {
    const reason = whyRetired({ name })
    this.#fleet.giveUp(name, reason)
    this.#runtime.nodes.giveUp(name, reason)
  }

  /** It may join again, but has not yet. */
  reinstate({ name }: Pick<KnownNode, 'name'>): void {
    this.#unreachable(name, `Node ${name} is down: it has not joined again.`)
  }

  lost(node: KnownNode, why: string): void {
    this.#linked.delete(node.name)
    if (this.#over) return
    const known = nodeById(this.#runtime.store.db, node.id)
    if (!known) return this.#fleet.detach(node.name, why)
    if (known.state === 'retired') return
    const reason = `Node ${node.name} is down: ${lowered(why, node.name)}`
    this.#unreachable(node.name, reason)
    this.#change(() => this.down(node, reason))
  }

  /** Inside a change: reports once that a node is down. */
  down({ id, name }: KnownNode, reason: string): void {
    const runtime = this.#runtime
    const known = nodeById(runtime.store.db, id)
    if (!known || known.down_at !== null) return
    const now = runtime.clock.now()
    setNode(runtime, id, { down_at: now, ...(known.last_seen_at !== null && { last_seen_at: now }) })
    const due = (this.#reported.get(id) ?? Number.NEGATIVE_INFINITY) + MIN_DOWN_INTERVAL_MS
    if (now < due) this.#reportLater(id, reason, due - now)
    else this.#reportDown({ id, name }, reason)
  }

  #reportDown({ id, name }: Pick<KnownNode, 'id' | 'name'>, reason: string): void {
    this.#reported.set(id, this.#runtime.clock.now())
    record(this.#runtime, { type: 'node.down', object_id: id, details: { name, reason } })
  }

  #reportLater(id: string, reason: string, ms: number): void {
    const cancel = this.#runtime.clock.after(ms, () => this.#change(() => this.#reportStill(id, reason)))
    this.#unreported.set(id, { cancel, reason })
  }

  /** Inside a change: reports an outage that has lasted. */
  #reportStill(id: string, reason: string): void {
    const node = nodeById(this.#runtime.store.db, id)
    if (this.#forget(id) && node && node.down_at !== null && node.state !== 'retired') this.#reportDown(node, reason)
  }

  refused({ node, cause, reason }: NodeRefused): void {
    if (cause === 'twice') return this.#twice(node, reason)
    if (this.#linked.has(node.name)) return
    this.#unreachable(node.name, reason)
    if (cause === 'incompatible') this.#incompatible(node, reason)
  }

  /** It retries endlessly: recorded once per reason. */
  #incompatible({ id }: KnownNode, reason: string): void {
    if (nodeById(this.#runtime.store.db, id)?.incompatible !== reason)
      this.#change(() => setNode(this.#runtime, id, { incompatible: reason }))
  }

  /** A machine that is refused retries endlessly: recorded once an hour per reason. */
  rejected({ node, address, reason }: NodeRejected): void {
    this.#noteOnce(`${node.id} ${reason}`, hour, node, { reason, address })
  }

  #noteOnce(what: string, pause: number, node: KnownNode, refusal: { reason: string; address?: string }): void {
    const now = this.#runtime.clock.now()
    if (now < (this.#noted.get(what) ?? 0)) return
    for (const [noted, until] of this.#noted) if (until <= now) this.#noted.delete(noted)
    this.#noted.set(what, now + pause)
    this.#change(() => noteNode(this.#runtime, 'refuseNode', node, refusal))
  }

  /** The other machine keeps trying: recorded once, and shown for as long as it does. */
  #twice(node: KnownNode, reason: string): void {
    const { nodes, clock } = this.#runtime
    if (nodes.trouble(node.name, clock.now()) === undefined)
      this.#change(() => noteNode(this.#runtime, 'refuseNode', node, { reason }))
    nodes.warn(node.name, reason, clock.now() + minute)
  }

  broke(node: KnownNode, what: string): void {
    this.#runtime.log.warn({ node: node.name, what }, 'a node was cut off')
    this.#noteOnce(`${node.id} ${what}`, hour, node, { reason: what })
  }

  #unreachable(name: string, reason: string): void {
    this.#fleet.detach(name, reason)
    this.#runtime.nodes.close(name, reason)
  }

  #change(act: () => void): void {
    const { store, log } = this.#runtime
    store.change(act).catch((error: unknown) => log.error({ err: error }, 'what became of a node could not be written'))
  }
}

/** `Node web2 has said nothing.` follows the node's name in the message. */
const lowered = (why: string, name: string): string => {
  const rest = why.replace(`Node ${name} `, 'it ').replace(` to node ${name}`, '')
  return rest.charAt(0).toLowerCase() + rest.slice(1)
}
