import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { readFrame } from '../../agent/protocol/first.ts'
import { encode, type Frame } from '../../agent/protocol/frames.ts'
import { type NodeHelloFrame, readWelcome, textIn } from '../../agent/protocol/node-hello.ts'
import { endStalled, untaken } from '../../agent/protocol/stalled.ts'
import { MAX_SILENCE_MS, watchSilence } from '../../agent/protocol/timeouts.ts'
import { certificateError, digestOf } from '../../agent/protocol/trust.ts'
import type { HostAgent } from '../../agent/service/agent.ts'
import { roomBelow } from '../../agent/service/free-space.ts'
import { serveConnection } from '../../agent/service/session.ts'
import type { Clock } from './clock.ts'
import { connectTo } from './connect.ts'
import type { Identity } from './identity.ts'

export interface DialerOptions {
  readonly identity: Identity
  readonly agent: HostAgent
  readonly root: string
  /** The machine's hostname. */
  readonly hostname?: string | undefined
  readonly clock: Clock
  /** Called once for each new reason why it is not linked, and for each link. */
  readonly say: (line: string) => void
  readonly random?: () => number
}

const shortest = 250
/**
 * The maximum delay, by how the last attempt ended: refusals cost the panel work, and a panel that was just up is soon
 * back.
 */
const MAX_PAUSE_MS = { refused: 5000, unreached: 2000, linked: 1000 } as const
const minute = 60_000
/** If links keep ending sooner than this, retries slow down. */
const steady = 10_000

interface Visit {
  readonly ended: keyof typeof MAX_PAUSE_MS
  /** How long the link lasted. */
  readonly lasted?: number
}

/** Why this node is refused, in the panel's own words. */
class Refused extends Error {
  override readonly name = 'Refused'
}

/** Keeps a link to the control plane, trying one address after the other. */
export class Dialer {
  readonly #options: DialerOptions
  #place = 0
  #output: string | undefined
  #stopped = false
  #wake = (): void => {}
  #socket: TLSSocket | undefined

  constructor(options: DialerOptions) {
    this.#options = options
  }

  /** Ends when stopped, or when the machine has joined as another node. */
  async run(): Promise<void> {
    for (let failures = 0; !this.#stopped; ) {
      const { ended, lasted = 0 } = await this.#visit()
      failures = lasted >= steady ? 0 : failures + 1
      if (ended !== 'linked') this.#place++
      await this.#pause(failures, MAX_PAUSE_MS[ended])
    }
  }

  stop(): void {
    this.#stopped = true
    this.#wake()
    this.#socket?.destroy()
  }

  get #address(): string {
    const { addresses } = this.#options.identity
    return addresses[this.#place % addresses.length]!
  }

  /** Tries to link, and waits until the link ends. */
  async #visit(): Promise<Visit> {
    const { clock } = this.#options
    let since: number | undefined
    let isRefused = false
    try {
      if (this.#isAnother()) return { ended: 'refused' }
      const address = this.#address
      const socket = await this.#connect(address, { purpose: 'link' })
      this.#socket = socket
      this.#learn(await this.#answer(socket, address))
      // The list may have changed by now: try this one first again.
      this.#place = Math.max(0, this.#options.identity.addresses.indexOf(address))
      await this.#serve(socket, address, () => {
        since = clock.now()
        this.#options.identity.noteReached(address)
        this.#report(`connected to the panel at ${address}`)
      })
      isRefused = since === undefined
      if (isRefused) this.#report(`The panel at ${address} is not obeyed: another server took over from it.`)
      else this.#report(`The connection to the panel at ${address} was lost.`)
    } catch (error) {
      isRefused = error instanceof Refused
      this.#report((error as Error).message)
    } finally {
      this.#socket?.destroy()
    }
    if (since !== undefined) return { ended: 'linked', lasted: clock.now() - since }
    return { ended: isRefused ? 'refused' : 'unreached' }
  }

  /** A machine that joined again has another key; as another node it needs an agent of that name. */
  #isAnother(): boolean {
    const { identity } = this.#options
    const { id, name } = identity.known
    if (identity.reread()) this.#place = 0
    const isAnother = identity.known.id !== id || identity.known.name !== name
    if (isAnother) this.stop()
    return isAnother
  }

  /** The panel's first frame; with a time limit, as the panel may hang. */
  async #answer(socket: TLSSocket, address: string): Promise<Frame> {
    let silent = false
    const late = this.#options.clock.after(MAX_SILENCE_MS, () => {
      silent = true
      socket.destroy()
    })
    try {
      return await readFrame(socket)
    } catch (error) {
      throw silent ? new Error(`The panel at ${address} said nothing for 6 seconds.`) : error
    } finally {
      late()
    }
  }

  async #serve(socket: TLSSocket, address: string, greeted: () => void): Promise<void> {
    const { agent, clock } = this.#options
    const streams = new Set<Duplex>()
    const heard = (frame: Frame): void => {
      if (frame['type'] === 'welcome') this.#take(frame, socket)
      if (frame['type'] === 'dial') void this.#carry(address, textIn(frame, 'key'), streams)
    }
    watchSilence(
      socket,
      (ms, act) => clock.after(ms, act),
      () => socket.destroy(),
    )
    this.#reportFacts(socket)
    await serveConnection(socket, Promise.resolve(agent), { greeted, heard })
    for (const stream of streams) stream.destroy()
  }

  /** Bytes have a connection of their own, which ends with the link. */
  async #carry(address: string, key: string, streams: Set<Duplex>): Promise<void> {
    try {
      const stream = await this.#connect(address, { purpose: 'bulk', key })
      streams.add(stream)
      stream.once('close', () => streams.delete(stream))
      endStalled(stream, (ms, act) => this.#options.clock.after(ms, act), untaken)
      await this.#options.agent.carry(stream)
    } catch (error) {
      this.#report((error as Error).message)
    }
  }

  async #connect(address: string, request: DesiredLink): Promise<TLSSocket> {
    const { identity, agent, clock } = this.#options
    const { id, certificate, authorities } = identity.known
    const socket = await connectTo({
      address,
      clock,
      own: { key: identity.key, cert: certificate },
      error: (presented) => certificateError(presented, { authorities, use: 'control plane', now: clock.now() }),
    })
    const { root, hostname } = this.#options
    const diskFreeMb = roomBelow(root)
    const arrival = {
      ...agent.hello,
      ...request,
      node: id,
      clock: clock.now(),
      ...(diskFreeMb !== undefined && { diskFreeMb }),
      ...(hostname !== undefined && { hostname }),
    }
    socket.write(encode(arrival satisfies NodeHelloFrame))
    return socket
  }

  #learn(frame: Frame): void {
    if (frame['type'] === 'refused') throw new Refused(String(frame['reason']))
    this.#options.identity.learn(readWelcome(frame))
  }

  /** A new certificate counts once the panel has heard that it is stored. */
  #take(frame: Frame, socket: TLSSocket): void {
    this.#learn(frame)
    const { certificate } = this.#options.identity.known
    if (frame['certificate'] === certificate && socket.writable)
      socket.write(encode({ type: 'facts', certificate: digestOf(certificate) }))
  }

  #reportFacts(socket: TLSSocket): void {
    const next = (): (() => void) =>
      this.#options.clock.after(minute, () => {
        const diskFreeMb = roomBelow(this.#options.root)
        if (diskFreeMb !== undefined && socket.writable) socket.write(encode({ type: 'facts', diskFreeMb }))
        cancel = next()
      })
    let cancel = next()
    socket.once('close', () => cancel())
  }

  #report(line: string): void {
    if (line !== this.#output) this.#options.say(line)
    this.#output = line
  }

  /** Jitter: nodes that lost their panel together must not return together. */
  #pause(failures: number, max: number): Promise<void> {
    const { clock, random = Math.random } = this.#options
    if (this.#stopped) return Promise.resolve()
    const ms = Math.min(shortest * 2 ** failures, max) * (0.5 + random() / 2)
    return new Promise((resolve) => {
      const cancel = clock.after(ms, resolve)
      this.#wake = () => {
        cancel()
        resolve()
      }
    })
  }
}

type DesiredLink = { readonly purpose: 'link' } | { readonly purpose: 'bulk'; readonly key: string }
