import type { RequestLimits } from './limits.ts'

/** What a watch sees of a process. */
export interface Watched {
  /** Whether a signal stopped it. */
  isStopped(): boolean
  /** Asks it for a sign of life. */
  beat(): void
  /** How many it answered. */
  readonly answered: number
  /** The processor time it reported last, in milliseconds. */
  readonly cpuMs: number
  /** Bytes moved to and from it. */
  readonly moved: number
  kill(message: string): void
}

const LOOK_INTERVAL_MS = 1_000
/** Only a program of its user stops it, perhaps for a moment at a time. */
const MAX_STOPPED_LOOKS = 3
const BEAT_TIMEOUT_MS = 30_000
/** More than the answers to beats themselves take. */
const MIN_STALL_CPU_MS = 20

/**
 * Ends a process that works for root with its tenant's uid, and which the tenant may therefore stop or slow down. Time
 * is counted in looks, so that a pause of this process itself is not counted against it.
 */
export class Watch {
  /** Whether root waits for it, not it for root. */
  isPending = true
  readonly #watched: Watched
  readonly #limits: RequestLimits
  readonly #timer: NodeJS.Timeout
  #beats = 0
  #pendingMs = 0
  #unansweredMs = 0
  #stopped = 0
  #stall = { sinceMs: 0, cpuMs: 0, moved: 0 }

  constructor(watched: Watched, limits: RequestLimits) {
    this.#watched = watched
    this.#limits = limits
    this.#beats = watched.answered
    this.#timer = setInterval(() => this.#look(), LOOK_INTERVAL_MS).unref()
  }

  end(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    if (!this.isPending) return
    const reason = this.#error()
    if (reason === undefined) return
    this.end()
    this.#watched.kill(reason)
  }

  #error(): string | undefined {
    const { timeoutMs } = this.#limits
    this.#pendingMs += LOOK_INTERVAL_MS
    if (this.#isHalted()) return 'A program of the account stopped the process that works in its home.'
    if (this.#isSilent()) return `The process that works in the home did not answer for ${seconds(BEAT_TIMEOUT_MS)}.`
    if (this.#pendingMs >= timeoutMs) return `The work in the home took longer than ${seconds(timeoutMs)}.`
    return this.#stalled()
  }

  #isHalted(): boolean {
    if (this.#watched.isStopped()) this.#stopped++
    return this.#stopped >= MAX_STOPPED_LOOKS
  }

  #isSilent(): boolean {
    if (this.#watched.answered >= this.#beats) {
      this.#unansweredMs = 0
      this.#beats = this.#watched.answered + 1
      this.#watched.beat()
    } else this.#unansweredMs += LOOK_INTERVAL_MS
    return this.#unansweredMs >= BEAT_TIMEOUT_MS
  }

  #stalled(): string | undefined {
    const { stallMs } = this.#limits
    const { cpuMs, moved } = this.#watched
    if (stallMs === undefined) return undefined
    if (moved !== this.#stall.moved || cpuMs - this.#stall.cpuMs >= MIN_STALL_CPU_MS)
      this.#stall = { sinceMs: this.#pendingMs, cpuMs, moved }
    if (this.#pendingMs - this.#stall.sinceMs < stallMs) return undefined
    return `The work in the home made no progress for ${seconds(stallMs)}.`
  }
}

const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`
