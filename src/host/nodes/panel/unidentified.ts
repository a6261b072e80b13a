import type { Socket } from 'node:net'
import type { After } from '../../agent/protocol/timeouts.ts'

/** The time limits for the TLS handshake, and then for identification. */
const handshake = 5_000
const IDENTIFY_TIMEOUT_MS = 10_000
const MAX_CONNECTIONS = 256
const MAX_CONNECTIONS_PER_NETWORK = 64

const nameOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`

interface PendingNode {
  readonly socket: Socket
  readonly network: string
  cancel: () => void
}

/**
 * Connections that have not identified themselves yet. At the limit, the oldest of the network with the most is closed:
 * a node needs only moments, so idle connections never keep it out.
 */
export class UnidentifiedConnections {
  readonly #after: After
  readonly #networkOf: (address: string) => string
  /** In order of arrival. */
  readonly #waiting = new Map<string, PendingNode>()
  readonly #networks = new Map<string, Set<string>>()

  constructor(after: After, networkOf: (address: string) => string) {
    this.#after = after
    this.#networkOf = networkOf
  }

  /** Admits a connection for a limited time. */
  admit(socket: Socket): void {
    const name = nameOf(socket)
    const network = this.#networkOf(socket.remoteAddress ?? '')
    const current = this.#networks.get(network) ?? new Set()
    if (current.size >= MAX_CONNECTIONS_PER_NETWORK) this.#endOldest(current)
    else if (this.#waiting.size >= MAX_CONNECTIONS) this.#endOldest(this.#fullestNetwork)
    this.#networks.set(network, current.add(name))
    this.#waiting.set(name, { socket, network, cancel: this.#endAfter(handshake, socket) })
    socket.once('close', () => this.#leave(name, socket))
  }

  /** Its TLS handshake is complete. */
  secured(socket: Socket): void {
    const waiting = this.#waiting.get(nameOf(socket))
    waiting?.cancel()
    if (waiting) waiting.cancel = this.#endAfter(IDENTIFY_TIMEOUT_MS, waiting.socket)
  }

  /** It has identified itself, or is closed. */
  release(socket: Socket): void {
    this.#leave(nameOf(socket))
  }

  /** Closes all of them. */
  end(): void {
    for (const { socket } of this.#waiting.values()) socket.destroy()
  }

  get #fullestNetwork(): Set<string> {
    return [...this.#networks.values()].reduce((fullest, one) => (one.size > fullest.size ? one : fullest))
  }

  #endAfter = (ms: number, socket: Socket): (() => void) => this.#after(ms, () => socket.destroy())

  #endOldest([name]: Iterable<string>): void {
    const { socket } = this.#waiting.get(name!)!
    this.#leave(name!)
    socket.destroy()
  }

  /** A later connection may have the same name by now. */
  #leave(name: string, socket?: Socket): void {
    const waiting = this.#waiting.get(name)
    if (!waiting || (socket && waiting.socket !== socket)) return
    waiting.cancel()
    this.#waiting.delete(name)
    const others = this.#networks.get(waiting.network)!
    others.delete(name)
    if (others.size === 0) this.#networks.delete(waiting.network)
  }
}
