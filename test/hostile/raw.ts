import type { Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterAll, beforeAll } from 'vitest'
import { closeServer, listenTcp, type Timeouts } from '../../src/server/listen.ts'
import { TestPanel } from '../harness.ts'

/** So short that a test sees each of them expire. */
export const hasty: Timeouts = {
  headersTimeout: 300,
  requestTimeout: 600,
  keepAliveTimeout: 400,
  silence: 900,
  handshakeTimeout: 300,
  connectionsCheckingInterval: 50,
}

/** A panel that listens on a port, for all tests of a file. */
export class Target {
  panel!: TestPanel
  server!: Server
  #calm = { ...hasty, headersTimeout: 20_000, requestTimeout: 20_000, keepAliveTimeout: 20_000, silence: 20_000 }

  constructor(times?: Timeouts) {
    beforeAll(async () => {
      this.panel = await new TestPanel({}).start()
      this.server = (await listenTcp(
        this.panel.panel.app,
        { host: '127.0.0.1', port: 0 },
        undefined,
        times ?? this.#calm,
      )) as Server
    })
    afterAll(async () => {
      await closeServer(this.server, 0)
      await this.panel.stop()
    })
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port
  }

  open(): Preserialized {
    return new Preserialized(connect(this.port, '127.0.0.1'))
  }

  /** Sends bytes, and returns everything received until the server closed, or after a number of responses. */
  async send(bytes: string | Buffer, answers = 1): Promise<Talk> {
    const raw = this.open()
    raw.write(bytes)
    await raw.until((text) => statusesIn(text).length >= answers)
    // What would still arrive: a second response, or the end.
    await raw.quiet()
    raw.destroy()
    return { statuses: statusesIn(raw.text), closed: raw.closed, text: raw.text }
  }
}

export interface Talk {
  readonly statuses: readonly number[]
  /** Whether the server closed the connection. */
  readonly closed: boolean
  readonly text: string
}

export const statusesIn = (text: string): number[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status)).filter((status) => status >= 200)

/** A connection, byte by byte. */
export class Preserialized {
  readonly socket: Socket
  text = ''
  closed = false
  #waiting: (() => void)[] = []

  constructor(socket: Socket) {
    this.socket = socket
    socket.setNoDelay(true)
    socket.on('data', (chunk) => {
      this.text += chunk.toString('latin1')
      this.#wake()
    })
    socket.on('error', () => {})
    for (const event of ['end', 'close'])
      socket.on(event, () => {
        this.closed = true
        this.#wake()
      })
  }

  write(bytes: string | Buffer): boolean {
    return this.socket.write(bytes)
  }

  /** Until enough was received, or the other side closed. */
  async until(enough: (text: string) => boolean): Promise<void> {
    while (!this.closed && !enough(this.text)) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  async ended(): Promise<void> {
    await this.until(() => false)
  }

  /** Lets pending bytes arrive. */
  async quiet(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }

  async drained(): Promise<void> {
    if (!this.socket.writableNeedDrain || this.closed) return
    const drained = new Promise<void>((resolve) => this.socket.once('drain', resolve))
    await Promise.race([drained, this.ended()])
  }

  destroy(): void {
    this.socket.destroy()
  }

  #wake(): void {
    for (const resume of this.#waiting.splice(0)) resume()
  }
}
