import type { Socket } from 'node:net'
import type { After } from '../protocol/silence.ts'

/** The time limits for the TLS handshake, and then for identification. */
const handshake = 5_000
const patience = 10_000
const most = 256
const mostOfNetwork = 64

const nameOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`

interface Waiting {
  readonly socket: Socket
  readonly network: string
  cancel: () => void
}

/**
 * Connections that have not identified themselves yet. At the limit, the oldest of the network with the most is closed:
 * a node needs only moments, so idle connections never keep it out.
 */
export class Strangers {
  readonly #after: After
  readonly #networkOf: (address: string) => string
  /** In order of arrival. */
  readonly #waiting = new Map<string, Waiting>()
  readonly #networks = new Map<string, Set<string>>()

  constructor(after: After, networkOf: (address: string) => string) {
    this.#after = after
    this.#networkOf = networkOf
  }

  /** Admits a connection for a limited time. */
  admit(socket: Socket): void {
    const name = nameOf(socket)
    const network = this.#networkOf(socket.remoteAddress ?? '')
    const here = this.#networks.get(network) ?? new Set()
    if (here.size >= mostOfNetwork) this.#endOldest(here)
    else if (this.#waiting.size >= most) this.#endOldest(this.#largest)
    this.#networks.set(network, here.add(name))
    this.#waiting.set(name, { socket, network, cancel: this.#endAfter(handshake, socket) })
    socket.once('close', () => this.#leave(name, socket))
  }

  /** Its TLS handshake is complete. */
  secured(socket: Socket): void {
    const waiting = this.#waiting.get(nameOf(socket))
    waiting?.cancel()
    if (waiting) waiting.cancel = this.#endAfter(patience, waiting.socket)
  }

  /** It has identified itself, or is closed. */
  release(socket: Socket): void {
    this.#leave(nameOf(socket))
  }

  /** Closes all of them. */
  end(): void {
    for (const { socket } of this.#waiting.values()) socket.destroy()
  }

  get #largest(): Set<string> {
    return [...this.#networks.values()].reduce((largest, one) => (one.size > largest.size ? one : largest))
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
