import { randomBytes } from 'node:crypto'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { AgentClient } from '../../agent/client/client.ts'
import { Link, LinkLost } from '../../agent/client/link.ts'
import { encode, ProtocolError } from '../../agent/protocol/frames.ts'
import type { Hello } from '../../agent/protocol/messages.ts'
import type { NodeHelloFrame, Welcome } from '../../agent/protocol/node-hello.ts'
import { endStalled, unread } from '../../agent/protocol/stalled.ts'
import { type After, beat, watchSilence } from '../../agent/protocol/timeouts.ts'
import { digestOf } from '../../agent/protocol/trust.ts'
import type { KnownNode, NodeKeeper } from '../../contract/node-port.ts'
import { NodeGuard } from './guard.ts'

const hour = 3_600_000
/** The time limit for a node to greet, and to open a requested connection. */
const REPLY_TIMEOUT_MS = 10_000
const MAX_STREAMS = 64

export interface NodeLinkParts {
  readonly node: KnownNode
  readonly socket: TLSSocket
  readonly keeper: NodeKeeper
  /** Called when the node breaks the protocol's rules. */
  readonly broke: (what: string) => void
  /** The panel's own hello. */
  readonly hello: Hello
  readonly arrival: NodeHelloFrame
  /** The certificate that the node presented. */
  readonly certificate: string
  readonly after: After
  readonly log: { info(fields: object, message: string): void; warn(fields: object, message: string): void }
}

/** A caller waiting for a connection that the node has not opened yet. */
interface PendingReply {
  readonly take: (stream: Duplex) => void
  readonly fail: (what: string) => void
}

/** A node's link: its client's commands, and the connections for their bytes. */
export class NodeLink {
  readonly node: KnownNode
  readonly client: AgentClient
  /** Resolves with a sentence when it has ended. */
  readonly ended: Promise<string>
  readonly #parts: NodeLinkParts
  readonly #link: Link
  readonly #guard: NodeGuard
  readonly #waiting = new Map<string, PendingReply>()
  readonly #streams = new Set<Duplex>()
  #why: string
  #certificate: string
  #probe: Promise<boolean> | undefined
  /** Sent, but not yet confirmed as kept. */
  #fresh: string | undefined

  constructor(parts: NodeLinkParts) {
    const { node, socket, hello, arrival, after, log } = parts
    this.#parts = parts
    this.node = node
    this.#certificate = parts.certificate
    this.#why = `The connection to node ${node.name} was lost.`
    socket.on('error', (error) => {
      if (error instanceof ProtocolError) this.#why = error.message
    })
    this.ended = new Promise((resolve) => socket.once('close', () => resolve(this.#why)))
    this.#say(this.#welcome())
    const kill = () => void socket.destroy()
    const channel = { stream: socket, ended: this.ended, bulk: () => this.#bulk(), kill, isShared: true }
    this.#guard = new NodeGuard({ ...parts, certified: (digest) => this.#certified(digest) })
    this.#link = new Link(channel, hello, after, this.#guard)
    const kind = arrival.capabilities.includes('debian') ? 'debian' : 'directory'
    const { capabilities } = arrival
    this.client = new AgentClient({
      link: this.#link,
      build: hello.build,
      after,
      log,
      node: node.name,
      kind,
      capabilities,
    })
    watchSilence(socket, after, () => this.cut(`Node ${node.name} has said nothing for 6 seconds.`))
    void this.ended.then(() => this.#end())
  }

  /** Identifies the agent's process. */
  get boot(): string {
    return this.#parts.arrival.boot
  }

  get address(): string {
    return this.#parts.socket.remoteAddress ?? ''
  }

  /** Whether it shows a sign of life in time; asked once, however many connections wait for it. */
  answers(): Promise<boolean> {
    this.#probe ??= this.#isAlive().finally(() => {
      this.#probe = undefined
    })
    return this.#probe
  }

  #isAlive(): Promise<boolean> {
    const { socket, after } = this.#parts
    if (socket.destroyed) return Promise.resolve(false)
    return new Promise((resolve) => {
      const heard = (): void => done(true)
      const gone = (): void => done(false)
      const late = after(beat, gone)
      const done = (answers: boolean): void => {
        late()
        socket.off('data', heard).off('close', gone)
        resolve(answers)
      }
      socket.on('data', heard).on('close', gone)
      this.#say({ type: 'ping' })
    })
  }

  /** Greets the agent; throws a message if the two are incompatible. */
  async introduce(): Promise<Hello> {
    const { after, socket } = this.#parts
    const late = after(REPLY_TIMEOUT_MS, () => this.cut(`Node ${this.node.name} did not greet.`))
    try {
      const agent = await this.#link.introduce()
      this.#beat()
      return agent
    } catch (error) {
      socket.destroy()
      throw error
    } finally {
      late()
    }
  }

  /** The certificate that the node has, as far as is known. */
  get certificate(): string {
    return this.#certificate
  }

  /** Repeats the announcement, with a new certificate if there is one. */
  announce(certificate?: string): void {
    if (!this.#parts.socket.writable) return
    this.#fresh = certificate ?? this.#fresh
    this.#say({ ...this.#welcome(), ...(certificate !== undefined && { certificate }) })
  }

  /** Hands a connection that the node opened to its waiting caller; false if there is none. */
  take(key: string, stream: TLSSocket): boolean {
    const taken = this.#waiting.get(key)
    if (!taken) return false
    this.#waiting.delete(key)
    this.#streams.add(stream)
    stream.once('close', () => this.#streams.delete(stream))
    endStalled(stream, this.#parts.after, unread)
    taken.take(stream)
    return true
  }

  cut(why: string): void {
    this.#why = why
    this.#parts.socket.destroy()
    this.#endStreams()
  }

  #end(): void {
    this.#endStreams()
    for (const { fail } of this.#waiting.values()) fail('is not connected')
  }

  #endStreams(): void {
    for (const stream of this.#streams) stream.destroy()
  }

  /** The node confirms that it stored a certificate: only now does that one count. */
  #certified(digest: string): void {
    if (this.#fresh === undefined || digest !== digestOf(this.#fresh)) return
    this.#certificate = this.#fresh
    this.#fresh = undefined
    this.#parts.keeper.certified(this.node, this.#certificate)
  }

  #welcome(): Welcome {
    return { type: 'welcome', ...this.#parts.keeper.announced() }
  }

  #say(frame: object): void {
    const { socket } = this.#parts
    if (socket.writable) socket.write(encode(frame))
  }

  #beat(): void {
    const { after, socket } = this.#parts
    const next = (): (() => void) =>
      after(beat, () => {
        this.#guard.beat()
        socket.resume()
        this.#say({ type: 'ping' })
        cancel = next()
      })
    let cancel = next()
    socket.once('close', () => cancel())
  }

  async #bulk(): Promise<Duplex> {
    if (this.#streams.size + this.#waiting.size >= MAX_STREAMS)
      throw new LinkLost(`Node ${this.node.name} has ${MAX_STREAMS} streams open already.`)
    if (this.#parts.socket.destroyed) throw new LinkLost(`Node ${this.node.name} is not connected.`)
    const key = randomBytes(16).toString('hex')
    this.#say({ type: 'dial', key })
    return new Promise<Duplex>((resolve, reject) => {
      const late = this.#parts.after(REPLY_TIMEOUT_MS, () => fail('did not open a connection for the bytes'))
      const fail = (what: string): void => {
        this.#waiting.delete(key)
        late()
        reject(new LinkLost(`Node ${this.node.name} ${what}.`))
      }
      const take = (stream: Duplex): void => {
        late()
        resolve(stream)
      }
      this.#waiting.set(key, { take, fail })
    })
  }

  /** Checks now and every hour whether to renew the certificate. */
  renewCertificate(look: () => Promise<void>): void {
    const { after, socket } = this.#parts
    let cancel = (): void => {}
    const next = (): void =>
      void look().finally(() => {
        if (!socket.destroyed) cancel = after(hour, next)
      })
    next()
    socket.once('close', () => cancel())
  }
}
