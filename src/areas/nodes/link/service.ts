import { ne } from 'drizzle-orm'
import type { NodePort } from '../../../host/contract/node-port.ts'
import type { Outside } from '../../../runtime/areas/area.ts'
import type { Engine } from '../../../runtime/areas/engine.ts'
import { every } from '../../../runtime/clock/interval.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { isLoopback } from '../../../shared/loopback.ts'
import { localNode } from '../../../shared/node-name.ts'
import { hour, minute } from '../../../shared/time.ts'
import { allNodes, nodeByName } from '../store.ts'
import { nodes } from '../tables.ts'
import { ensureKeys } from '../trust/keys.ts'
import { Keeper } from './keeper.ts'
import { maintainFleet, reportUnreachable } from './upkeep.ts'

declare module '../../../runtime/areas/area.ts' {
  interface Outside {
    /** The port that nodes connect to. */
    readonly nodePort: NodePort
  }
}

declare module '../../../runtime/runtime.ts' {
  interface Signals {
    /** A node's certificate was revoked: its link ends. */
    nodeRevoked: [node: NodeIdName]
    /** A machine joined: a previous machine's link ends. */
    nodeJoined: [node: NodeIdName]
  }
}

/** How long to wait for an unresponsive agent. */
const REPLY_TIMEOUT_MS = 10_000

interface NodeIdName {
  readonly id: string
  readonly name: string
}

const services = new WeakMap<Runtime, LinkService>()

export const linksOf = (runtime: Runtime): LinkService => services.get(runtime)!

/** Keeps the node port open while there are nodes to connect to it. */
export class LinkService implements Engine {
  readonly #runtime: Runtime
  readonly #port: NodePort
  readonly #keeper: Keeper
  readonly #fleet: Outside['fleet']
  readonly started: number
  #deaf = (): void => {}
  #cancelRetry = (): void => {}
  #endTending: (() => Promise<void>) | undefined
  #stopped = false

  private constructor(runtime: Runtime, { fleet, nodePort }: Outside) {
    this.#runtime = runtime
    this.#port = nodePort
    this.#keeper = new Keeper(runtime, fleet)
    this.#fleet = fleet
    this.started = runtime.clock.now()
    services.set(runtime, this)
  }

  static async start(runtime: Runtime, outside: Outside): Promise<LinkService> {
    const service = new LinkService(runtime, outside)
    service.#listen()
    for (const node of allNodes(runtime.store.db)) if (node.state === 'retired') service.#keeper.giveUp(node)
    runtime.leadership.whenLost(() => void service.#stepDown())
    await service.openIfNeeded()
    return service
  }

  /** If another program is using the port, retries until it is free. */
  async openIfNeeded(): Promise<void> {
    const { log, clock, leadership } = this.#runtime
    if (this.#stopped || leadership.lost !== undefined || !this.#isNeeded) return
    await this.open().catch((error: Error) => {
      log.error({ err: error }, 'the node port could not be opened')
      this.#cancelRetry()
      this.#cancelRetry = clock.after(minute, () => void this.openIfNeeded())
    })
  }

  #listen(): void {
    const { signals } = this.#runtime
    const deleted = ({ id, name }: NodeIdName): void => {
      this.#port.cut(id, `Node ${name} was deleted.`)
      void this.closeUnused()
    }
    const revoked = ({ id }: NodeIdName): void => this.#port.cut(id, 'Its certificate was revoked.')
    const joined = ({ id, name }: NodeIdName): void => this.#port.cut(id, `Node ${name} has joined again.`)
    const retired = (node: NodeIdName): void => {
      this.#keeper.giveUp(node)
      this.#port.cut(node.id, `Node ${node.name} was retired.`)
    }
    const reinstated = (node: NodeIdName): void => this.#keeper.reinstate(node)
    signals.on('nodeDeleted', deleted).on('nodeRevoked', revoked).on('nodeJoined', joined)
    signals.on('nodeRetired', retired).on('nodeReinstated', reinstated)
    this.#deaf = () => {
      signals.off('nodeDeleted', deleted).off('nodeRevoked', revoked).off('nodeJoined', joined)
      signals.off('nodeRetired', retired).off('nodeReinstated', reinstated)
    }
  }

  /** Whether only nodes on this machine can connect, as in a trial. */
  get isLocal(): boolean {
    return isLoopback(this.#port.host)
  }

  /** Opens the port; throws a message for users if it is unusable. */
  async open(): Promise<number> {
    await ensureKeys(this.#runtime)
    if (this.#stopped) throw new Error('The server is stopping.')
    if (this.#runtime.leadership.lost !== undefined) throw new Error(this.#runtime.leadership.lost)
    const port = await this.#port.open(this.#keeper)
    this.#endTending ??= this.#maintain()
    void this.#measure()
    return port
  }

  async closeUnused(): Promise<void> {
    if (this.#isNeeded) return
    await Promise.all([this.#port.close(), this.#leave()])
  }

  /** Another server took over: nodes must look for that one, which now records their state. */
  async #stepDown(): Promise<void> {
    this.#keeper.end()
    this.#cancelRetry()
    await Promise.all([this.#port.close(), this.#leave()])
  }

  #leave(): Promise<void> | undefined {
    const end = this.#endTending
    this.#endTending = undefined
    return end?.()
  }

  /** Sends nodes the changed authorities or addresses. */
  refresh(): Promise<void> {
    return this.#port.refresh()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#deaf()
    this.#keeper.end()
    this.#cancelRetry()
    await this.#leave()
    await this.#port.close()
  }

  get #isNeeded(): boolean {
    const { db } = this.#runtime.store
    return db.select({ id: nodes.id }).from(nodes).where(ne(nodes.name, localNode)).limit(1).get() !== undefined
  }

  /** Nodes take accounts by free space, and the control plane's own node has no link that reports it. */
  async #measure(): Promise<void> {
    const { store, clock, log } = this.#runtime
    if (!this.#isNeeded) return
    const late = new AbortController()
    const cancel = clock.after(REPLY_TIMEOUT_MS, () => late.abort(new Error('The host agent did not answer in time.')))
    const reply = this.#fleet.driverOf(localNode).room({}, { signal: late.signal })
    const room = await reply.catch((error: unknown) => log.warn({ err: error }, 'the free room of local is not known'))
    cancel()
    if (room?.diskFreeMb === undefined || this.#stopped) return
    this.#keeper.reportedFreeSpace(nodeByName(store.db, localNode)!, room.diskFreeMb, () => this.#isNeeded)
  }

  #maintain(): () => Promise<void> {
    const runtime = this.#runtime
    const endMeasuring = every(runtime, minute, 'free room could not be measured', () => this.#measure())
    const end = every(runtime, hour, 'the check of nodes failed', async () => {
      if (await maintainFleet(runtime)) await this.refresh()
    })
    const started = runtime.clock.now()
    const cancel = runtime.clock.after(minute, () => reportUnreachable(runtime, this.#keeper, started))
    return async () => {
      cancel()
      await Promise.all([end(), endMeasuring()])
    }
  }
}
