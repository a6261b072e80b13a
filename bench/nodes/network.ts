import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { Random } from './random.ts'

/** One connection of a node, in its two halves. */
interface Pair {
  readonly near: Socket
  readonly far: Socket
  /** Until then one end is not told that the other has gone. */
  half?: boolean
}

/** The network between nodes and their panel: all links go through it, and it breaks them. */
export class Network {
  readonly #pairs = new Set<Pair>()
  readonly #server = createServer({ allowHalfOpen: true }, (near) => this.#carry(near))
  readonly #port: number

  constructor(port: number) {
    this.#port = port
  }

  async open(host = '127.0.0.1'): Promise<number> {
    this.#server.listen(0, host)
    await once(this.#server, 'listening')
    return (this.#server.address() as { port: number }).port
  }

  get count(): number {
    return this.#pairs.size
  }

  /** Both ends learn at once. */
  cut(random: Random): void {
    const pair = this.#one(random)
    if (pair) for (const socket of [pair.near, pair.far]) socket.destroy()
  }

  /** One end learns, the other waits for an answer that never comes. */
  halve(random: Random, ms: number): void {
    const pair = this.#one(random)
    if (!pair) return
    const [received, unreported] = random.next() < 0.5 ? [pair.near, pair.far] : [pair.far, pair.near]
    pair.half = true
    unreported.unpipe()
    unreported.resume()
    received.destroy()
    setTimeout(() => unreported.destroy(), ms).unref()
  }

  /** Neither end learns: nothing comes through for a while. */
  stall(random: Random, ms: number): void {
    const pair = this.#one(random)
    if (!pair) return
    const both = [pair.near, pair.far]
    for (const socket of both) socket.pause()
    setTimeout(() => {
      for (const socket of both) socket.resume()
    }, ms).unref()
  }

  /** All that is broken is whole again. */
  repair(): void {
    for (const pair of this.#pairs) {
      if (pair.half) for (const socket of [pair.near, pair.far]) socket.destroy()
      else for (const socket of [pair.near, pair.far]) socket.resume()
    }
  }

  close(): void {
    this.#server.close()
    for (const { near, far } of this.#pairs) for (const socket of [near, far]) socket.destroy()
  }

  #one(random: Random): Pair | undefined {
    const full = [...this.#pairs].filter(({ half }) => !half)
    return full.length > 0 ? random.of(full) : undefined
  }

  #carry(near: Socket): void {
    const pair: Pair = { near, far: connect({ port: this.#port, host: '127.0.0.1', allowHalfOpen: true }) }
    this.#pairs.add(pair)
    for (const [one, other] of [[near, pair.far] as const, [pair.far, near] as const]) {
      one.pipe(other)
      one.on('error', () => one.destroy())
      one.on('close', (isBroken) => {
        if (isBroken && !pair.half) other.destroy()
        if (near.destroyed && pair.far.destroyed) this.#pairs.delete(pair)
      })
    }
  }
}
