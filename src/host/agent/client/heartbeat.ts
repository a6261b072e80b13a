/** A live agent answers a ping at once, even when busy; a hung one does not. */
const HEARTBEAT_TIMEOUT_MS = 30_000
const interval = 10_000

export interface Pulse {
  readonly after: (ms: number, act: () => void) => () => void
  readonly ping: () => void
  readonly dead: () => void
}

/** Pings a busy agent to see whether it is alive. */
export class Heartbeat {
  readonly #pulse: Pulse
  #beating = false
  #pinged = false
  #cancel = (): void => {}

  constructor(pulse: Pulse) {
    this.#pulse = pulse
  }

  start(): void {
    if (this.#beating) return
    this.#beating = true
    this.#ping()
  }

  /** Call on each pong; returns whether it answers a ping. */
  heard(): boolean {
    if (!this.#pinged) return false
    this.#pinged = false
    if (this.#beating) this.#next(interval, () => this.#ping())
    return true
  }

  stop(): void {
    this.#beating = false
    this.#cancel()
  }

  #ping(): void {
    this.#next(HEARTBEAT_TIMEOUT_MS, this.#pulse.dead)
    this.#pinged = true
    this.#pulse.ping()
  }

  #next(ms: number, act: () => void): void {
    this.#cancel()
    this.#cancel = this.#pulse.after(ms, act)
  }
}
