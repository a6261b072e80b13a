import { randomUUID } from 'node:crypto'
import { createServer, type Server, type TLSSocket } from 'node:tls'
import type { Reigning } from '../../agent/client/client.ts'
import { Outranked } from '../../agent/client/link.ts'
import { readFrame } from '../../agent/protocol/first.ts'
import { encode } from '../../agent/protocol/frames.ts'
import { SUPPORTED_VERSIONS, tooFarApart } from '../../agent/protocol/hello.ts'
import type { Hello } from '../../agent/protocol/messages.ts'
import { clockError, type NodeHelloFrame, readNodeHello } from '../../agent/protocol/node-hello.ts'
import type { After } from '../../agent/protocol/timeouts.ts'
import {
  JoinRefused,
  type KnownNode,
  type NodeKeeper,
  type NodePort,
  type NodeRefused,
} from '../../contract/node-port.ts'
import { Barred } from './barred.ts'
import { identify, NodeRefusal, refuseRevoked } from './identify.ts'
import { LinkRate } from './link-rate.ts'
import { NodeLink } from './node-link.ts'
import { RefusalLog } from './refusal-log.ts'
import { UnidentifiedConnections } from './unidentified.ts'

export interface NodePortOptions {
  readonly host: string
  readonly port: number
  readonly build: string
  /** Groups addresses whose connections are counted together; by default each address alone. */
  readonly networkOf?: (address: string) => string
  /** The life of the store that the panel serves, and a listener for later ones. */
  readonly leadership?: Reigning
  readonly clock: { now(): number; after: After }
  readonly log: { info(fields: object, message: string): void; warn(fields: object, message: string): void }
}

/** Both sides present a certificate; it is verified here, by the panel's own clock. */
const secured = { minVersion: 'TLSv1.3', requestCert: true, rejectUnauthorized: false, allowHalfOpen: true } as const

/** The TLS port that nodes connect to. */
export class TlsNodePort implements NodePort {
  readonly #options: NodePortOptions
  readonly #after: After
  readonly #unidentified: UnidentifiedConnections
  readonly #barred: Barred
  readonly #linkRate: LinkRate
  readonly #refusals: RefusalLog
  readonly #links = new Map<string, NodeLink>()
  readonly #sockets = new Set<TLSSocket>()
  #server: Server | undefined
  #keeper: NodeKeeper | undefined
  #turn: Promise<unknown> = Promise.resolve()

  constructor(options: NodePortOptions) {
    this.#options = options
    this.#after = (ms, act) => options.clock.after(ms, act)
    const now = () => options.clock.now()
    this.#barred = new Barred(now)
    this.#linkRate = new LinkRate(now)
    this.#refusals = new RefusalLog(options.log, now)
    this.#unidentified = new UnidentifiedConnections(this.#after, options.networkOf ?? String)
  }

  get port(): number | undefined {
    const address = this.#server?.address()
    return typeof address === 'object' ? address?.port : undefined
  }

  get host(): string {
    return this.#options.host
  }

  open(keeper: NodeKeeper): Promise<number> {
    return this.#inTurn(async () => {
      if (!this.#server) await this.#listen(keeper)
      return this.port!
    })
  }

  close(): Promise<void> {
    return this.#inTurn(() => this.#end())
  }

  /** Serializes opening and closing, so that no listener leaks. */
  #inTurn<Value>(act: () => Promise<Value>): Promise<Value> {
    const done = this.#turn.then(act)
    this.#turn = done.catch(() => {})
    return done
  }

  async #listen(keeper: NodeKeeper): Promise<void> {
    this.#keeper = keeper
    const server = createServer({ ...secured, ...(await keeper.credentials()) })
    server.on('connection', (socket) => this.#unidentified.admit(socket))
    server.on('secureConnection', (socket) => void this.#arrived(socket, keeper))
    // Clients that do not speak TLS get no answer.
    server.on('tlsClientError', (_error, socket) => socket.destroy())
    await listening(server, this.#options)
    this.#server = server
  }

  async #end(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (!server) return
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    for (const link of this.#links.values()) link.cut('The panel is stopping.')
    for (const socket of this.#sockets) socket.destroy()
    this.#unidentified.end()
    await closed
  }

  cut(id: string, why: string): void {
    this.#links.get(id)?.cut(why)
  }

  async refresh(): Promise<void> {
    const keeper = this.#keeper
    if (!this.#server || !keeper) return
    this.#server.setSecureContext({ minVersion: 'TLSv1.3', ...(await keeper.credentials()) })
    for (const link of this.#links.values()) link.announce()
  }

  async #arrived(socket: TLSSocket, keeper: NodeKeeper): Promise<void> {
    this.#sockets.add(socket)
    this.#unidentified.secured(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    try {
      const arrival = readNodeHello(await readFrame(socket))
      await this.#receive(socket, arrival, keeper)
    } catch (error) {
      if (error instanceof Outranked) this.#options.leadership?.hear(error.leadership)
      if (error instanceof NodeRefusal) socket.end(encode({ type: 'refused', reason: error.message }))
      else socket.destroy()
      this.#refusals.add({ address: socket.remoteAddress, reason: (error as Error).message })
    }
  }

  async #receive(socket: TLSSocket, arrival: NodeHelloFrame, keeper: NodeKeeper): Promise<void> {
    if (arrival.purpose === 'join') return this.#join(socket, arrival, keeper)
    const now = this.#options.clock.now()
    const { node, certificate } = this.#identify(socket, arrival, keeper)
    if (arrival.purpose === 'bulk') return this.#bulk(socket, arrival.key, node)
    this.#refuse(node, 'clock', clockError(node.name, arrival.clock, now))
    this.#refuse(node, 'barred', this.#barred.why(node))
    this.#refuse(node, 'incompatible', tooFarApart(this.#hello(), arrival, `node ${node.name}`))
    await this.#link(socket, arrival, node, certificate)
  }

  #identify(socket: TLSSocket, arrival: NodeHelloFrame, keeper: NodeKeeper) {
    try {
      return identify(socket, arrival, keeper, this.#options.clock.now())
    } catch (error) {
      const node = keeper.find(arrival.node)
      const { remoteAddress: address = '' } = socket
      if (node && error instanceof NodeRefusal) keeper.rejected({ node, address, reason: error.message })
      throw error
    }
  }

  #refuse(node: KnownNode, cause: NodeRefused['cause'], reason: string | undefined): void {
    if (reason === undefined) return
    this.#keeper?.refused({ node, cause, reason })
    throw new NodeRefusal(reason)
  }

  async #join(socket: TLSSocket, arrival: NodeHelloFrame & { purpose: 'join' }, keeper: NodeKeeper): Promise<void> {
    const { node, secret, csr, build } = arrival
    const error =
      clockError(keeper.find(node)?.name ?? node, arrival.clock, this.#options.clock.now()) ??
      tooFarApart(this.#hello(), arrival)
    if (error) throw new NodeRefusal(error)
    const joined = await keeper.join({ node, secret, csr, build, address: socket.remoteAddress ?? '' }).catch(refused)
    this.#barred.remove(node)
    this.#links.get(node)?.cut('The node has joined again.')
    socket.end(encode({ type: 'joined', ...joined }))
  }

  #bulk(socket: TLSSocket, key: string, node: KnownNode): void {
    if (!this.#links.get(node.id)?.take(key, socket)) throw new NodeRefusal('Nothing asked for this connection.')
    this.#unidentified.release(socket)
  }

  async #link(socket: TLSSocket, arrival: NodeHelloFrame, node: KnownNode, certificate: string): Promise<void> {
    const { log } = this.#options
    const keeper = this.#keeper!
    // Another connection of the node may have arrived during the wait.
    for (let former = this.#links.get(node.id); former; former = this.#links.get(node.id))
      await this.#replace(former, socket, arrival)
    refuseRevoked(keeper, node)
    if (socket.destroyed) throw new Error('The connection was closed.')
    this.#refuse(node, 'barred', this.#linkRate.refusal(node))
    // Until now it is limited in time and number, as one that never identifies itself.
    this.#unidentified.release(socket)
    const broke = (what: string): void => {
      this.#barred.add(node.id)
      keeper.broke(node, what)
    }
    const parts = { node, socket, keeper, broke, hello: this.#hello(), arrival, certificate, after: this.#after, log }
    const link = new NodeLink(parts)
    this.#links.set(node.id, link)
    void link.ended.then(() => this.#links.get(node.id) === link && this.#links.delete(node.id))
    await link.introduce()
    const { build, protocol, diskFreeMb, hostname } = arrival
    const address = socket.remoteAddress ?? ''
    keeper.linked({ node, client: link.client, build, protocol, address, certificate, diskFreeMb, hostname })
    void link.ended.then((why) => keeper.lost(node, why))
    link.renewCertificate(() => this.#renew(link))
  }

  /** Reports the end of the former link first. If that link still answers, it is another machine, and stays. */
  async #replace(former: NodeLink, { remoteAddress = '' }: TLSSocket, { boot }: NodeHelloFrame): Promise<void> {
    const { node, address } = former
    if (former.boot !== boot && (await former.answers()))
      this.#refuse(node, 'twice', twice(node.name, address, remoteAddress))
    former.cut(`Node ${node.name} has connected again.`)
    await former.ended
  }

  async #renew(link: NodeLink): Promise<void> {
    try {
      const fresh = await this.#keeper?.renewed(link.node, link.certificate)
      if (fresh !== undefined) link.announce(fresh)
    } catch (error) {
      this.#options.log.warn({ err: error, node: link.node.name }, 'the certificate of a node could not be renewed')
    }
  }

  #hello(): Hello {
    const { build, leadership } = this.#options
    const claim = leadership?.claim && { leadership: leadership.claim }
    return {
      type: 'hello',
      protocol: SUPPORTED_VERSIONS,
      build,
      boot: randomUUID(),
      capabilities: [],
      undone: [],
      ...claim,
    }
  }
}

const twice = (name: string, linked: string, other: string): string =>
  `Two machines have the identity of node ${name}: the one at ${linked} is connected, and the one at ${other} is refused. Switch the copy off; to let it in as the node, use \`panel nodes renew-join ${name}\`.`

function refused(error: unknown): never {
  throw error instanceof JoinRefused ? new NodeRefusal(error.message) : error
}

function listening(server: Server, { host, port }: NodePortOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', ({ code, message }: NodeJS.ErrnoException) =>
      reject(new Error(`Nodes cannot connect: port ${port} on ${host} cannot be used (${code ?? message}).`)),
    )
    server.listen(port, host, () => resolve())
  })
}
