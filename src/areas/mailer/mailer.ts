import type { HostClient } from '../../host/contract/client.ts'
import type { Engine } from '../../runtime/areas/engine.ts'
import { every } from '../../runtime/clock/interval.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { hour, minute } from '../../shared/time.ts'
import { composeMessage } from './compose.ts'
import { earliestMail, forgetOldMail, noteFailed, noteSent, openMail, takeDue } from './outbox.ts'
import type { MailRow } from './tables.ts'

const ready = new WeakMap<Runtime, boolean>()

/** Whether the host can send the panel's mail. */
export const isMailReady = (runtime: Runtime): boolean => ready.get(runtime) ?? false

/** Hands the messages that wait to the host, one at a time. A crash may repeat one, with the same Message-ID. */
export class Mailer implements Engine {
  readonly #runtime: Runtime
  readonly #host: HostClient
  readonly #stopping = new AbortController()
  readonly #stopAsking: () => Promise<void>
  #round: Promise<void> | undefined
  #cancelTimer = (): void => {}
  /** The hour has no room for what waits until then. */
  #fullUntil = 0

  constructor(runtime: Runtime, host: HostClient) {
    this.#runtime = runtime
    this.#host = host
    // A directory takes all messages: its agent need not run for that answer.
    ready.set(runtime, host.kind === 'directory')
    this.#stopAsking = every(runtime, this.#pace(), 'the mail server could not be looked for', () => this.#ask())
    runtime.signals.on('mail', this.#wake)
    this.#arm()
  }

  /** The first look is soon after the start. */
  #pace(): () => number {
    let first = true
    return () => {
      const ms = first ? 1000 : minute
      first = false
      return this.#host.kind === 'debian' ? ms : hour
    }
  }

  async #ask(): Promise<void> {
    if (this.#host.kind !== 'debian' || this.#host.status.status === 'unreachable') return
    const can = await this.#host.canSendMail({}, { signal: this.#stopping.signal })
    ready.set(this.#runtime, can.ready)
  }

  hold(): void {
    this.#stopping.abort()
    this.#cancelTimer()
    this.#runtime.signals.off('mail', this.#wake)
  }

  async stop(): Promise<void> {
    this.hold()
    await this.#stopAsking()
    await this.#round
  }

  /** A new message may be of a share that has room. */
  readonly #wake = (): void => {
    this.#fullUntil = 0
    this.#arm()
  }

  readonly #arm = (): void => {
    const { clock } = this.#runtime
    const at = earliestMail(this.#runtime)
    if (this.#stopping.signal.aborted || this.#round || at === undefined) return
    this.#cancelTimer()
    const waitMs = Math.max(at, this.#fullUntil) - clock.now()
    this.#cancelTimer = clock.after(Math.min(Math.max(0, waitMs), hour), this.#begin)
  }

  readonly #begin = (): void => {
    this.#round = this.#send()
      .catch((error: unknown) => this.#runtime.log.error({ err: error }, 'mail could not be sent'))
      .finally(() => {
        this.#round = undefined
        this.#arm()
      })
  }

  async #send(): Promise<void> {
    const { store, clock } = this.#runtime
    while (!this.#stopping.signal.aborted) {
      const { row, from = 0 } = await store.change(() => {
        forgetOldMail(this.#runtime, clock.now())
        return takeDue(this.#runtime, clock.now())
      })
      this.#fullUntil = from
      if (!row) return
      const sent = await this.#handOver(row)
      await store.change(() => (sent ? noteSent : noteFailed)(this.#runtime, row, clock.now()))
    }
  }

  async #handOver(row: MailRow): Promise<boolean> {
    const { id, content, created_at } = row
    const mail = openMail(this.#runtime, content!)
    try {
      const message = await composeMessage(this.#runtime, id, created_at, mail)
      await this.#host.sendMail({ id, to: mail.to, message }, { signal: this.#stopping.signal })
      return true
    } catch (error) {
      this.#runtime.log.warn({ err: error, message: id }, 'a message could not be handed to the mail server')
      return false
    }
  }
}
