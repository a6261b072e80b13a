import type { HostOptions, HostStatus } from '../../contract/client.ts'
import type { Hello } from '../protocol/messages.ts'
import { Link } from './link.ts'
import type { Transport } from './transport.ts'

export interface ConnectorOptions {
  readonly transport: Transport
  readonly hello: Hello
  readonly after: (ms: number, act: () => void) => () => void
  /** Whether to keep it open while idle, so that a loss is noticed at once. */
  readonly lasting?: boolean
  /** Called for each agent reached, and each failed attempt. */
  readonly met: (agent: Hello) => void
  readonly failed: (error: Error) => void
  /** Called when an open connection has ended. */
  readonly lost: () => void
}

interface Waiter {
  readonly resolve: (link: Link) => void
  readonly reject: (error: unknown) => void
  readonly waits: HostOptions['waits']
}

const CONNECT_TIMEOUT_MS = 30_000
const MAX_RETRY_PAUSE_MS = 30_000
const pauseAfter = (tries: number): number => Math.min(1000 * 2 ** tries, MAX_RETRY_PAUSE_MS)

/** The one connection to the agent: opened on demand, reopened if lost, and retried until it succeeds. */
export class Connector {
  readonly #options: ConnectorOptions
  readonly #waiters = new Set<Waiter>()
  #link: Link | undefined
  #unreachable: string | undefined
  #trying: Promise<void> | undefined
  #wake = (): void => {}
  #closed = false

  constructor(options: ConnectorOptions) {
    this.#options = options
  }

  get status(): HostStatus {
    if (this.#open) return { status: 'running' }
    return this.#unreachable === undefined ? { status: 'idle' } : { status: 'unreachable', reason: this.#unreachable }
  }

  get #open(): Link | undefined {
    return this.#link?.over ? undefined : this.#link
  }

  /** Opens a lasting connection. */
  open(): void {
    if (this.#options.lasting && !this.#open && !this.#closed) this.#trying ??= this.#try()
  }

  /** Waits for a connection, and reports why there is none yet. */
  link({ signal, waits }: HostOptions): Promise<Link> {
    signal?.throwIfAborted()
    if (this.#open) return Promise.resolve(this.#open)
    let leave = (): void => {}
    return new Promise<Link>((resolve, reject) => {
      const waiter = { resolve, reject, waits }
      leave = () => {
        this.#waiters.delete(waiter)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', leave)
      this.#waiters.add(waiter)
      if (this.#unreachable !== undefined) waits?.(waitingFor(this.#unreachable))
      this.#trying ??= this.#try()
    }).finally(() => signal?.removeEventListener('abort', leave))
  }

  /** Ends an idle agent. */
  async rest(): Promise<void> {
    const link = this.#open
    if (link?.busy !== 0) return
    this.#link = undefined
    await this.#goodbye(link)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#wake()
    await this.#trying
    const link = this.#open
    this.#link = undefined
    if (link) await this.#goodbye(link)
  }

  async #goodbye(link: Link): Promise<void> {
    const cancel = this.#options.after(CONNECT_TIMEOUT_MS, () => link.kill())
    await link.close()
    cancel()
  }

  async #try(): Promise<void> {
    for (let tries = 0; this.#isRequested; tries++) {
      await this.#reach().catch((error: Error) => this.#failed(error))
      if (this.#open) break
      await this.#pause(pauseAfter(tries))
    }
    this.#trying = undefined
    if (this.#closed) this.#each(({ reject }) => reject(new Error('The server is stopping.')))
  }

  get #isRequested(): boolean {
    return (this.#waiters.size > 0 || this.#options.lasting === true) && !this.#closed
  }

  async #reach(): Promise<void> {
    const { transport, hello, after, met, lost } = this.#options
    const channel = await transport()
    const link = new Link(channel, hello, after)
    const cancel = after(CONNECT_TIMEOUT_MS, () => link.kill())
    try {
      met(await link.introduce())
    } catch (error) {
      link.kill()
      throw error
    } finally {
      cancel()
    }
    this.#link = link
    void channel.ended.then(() => this.open()).then(lost)
    if (this.#unreachable !== undefined) for (const { waits } of this.#waiters) waits?.('The host agent is back.')
    this.#unreachable = undefined
    this.#each(({ resolve }) => resolve(link))
  }

  #each(act: (waiter: Waiter) => void): void {
    const waiters = [...this.#waiters]
    this.#waiters.clear()
    for (const waiter of waiters) act(waiter)
  }

  #failed(error: Error): void {
    const reason = error.message
    if (reason !== this.#unreachable) for (const { waits } of this.#waiters) waits?.(waitingFor(reason))
    this.#unreachable = reason
    this.#options.failed(error)
  }

  #pause(ms: number): Promise<void> {
    if (this.#closed) return Promise.resolve()
    return new Promise((resolve) => {
      const cancel = this.#options.after(ms, resolve)
      this.#wake = () => {
        cancel()
        resolve()
      }
    })
  }
}

const waitingFor = (reason: string): string => `${reason} The job waits for the host agent.`
