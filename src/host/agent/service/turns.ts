import { KeyedLock } from '../../../shared/lock.ts'
import { follow } from '../../../shared/until-any.ts'
import type { Revision } from '../../contract/driver.ts'
import { isOlder } from './ledger.ts'

/** How long a change waits for those that it aborted. */
const OVERTAKE_TIMEOUT_MS = 10_000

/** The effects of a change, by how little of the account may run afterwards. */
const effects = ['active', 'suspended', 'removed'] as const

interface OrderedChange {
  readonly order: Revision
  readonly effect: (typeof effects)[number]
}

export interface Turn extends OrderedChange {
  readonly signal: AbortSignal
  /** Ends what the account runs, and the work that it holds up. */
  readonly endWork: () => Promise<void>
}

interface RunningChange extends OrderedChange {
  overtake(): void
}

interface Overtaking {
  /** Nothing of the account runs any more. */
  readonly ended?: Promise<void>
  /** The change has waited long enough. */
  readonly over?: Promise<void>
  readonly cancel: () => void
}

/** The answer of a change that a later one overtook. */
export const overtaken = Symbol('a later change overtook it')

/**
 * One change of an account at a time. A suspension or removal aborts those before it that let more of the account run,
 * and goes ahead of those that do not end in time.
 */
export class Turns {
  readonly #after: (ms: number, act: () => void) => () => void
  readonly #lock = new KeyedLock()
  readonly #running = new Map<string, Set<RunningChange>>()

  constructor(after: (ms: number, act: () => void) => () => void) {
    this.#after = after
  }

  async run<T>(id: string, turn: Turn, act: (signal: AbortSignal) => Promise<T>): Promise<T | typeof overtaken> {
    const { ended, over, cancel } = this.#overtake(id, turn)
    const own = new AbortController()
    const leave = follow(own, turn.signal)
    const work = async (): Promise<T> => {
      await Promise.race([ended, over])
      own.signal.throwIfAborted()
      return act(own.signal)
    }
    try {
      return await this.#unlessOvertaken(id, turn, own, this.#lock.run(id, work, over))
    } finally {
      leave()
      cancel()
    }
  }

  /** Answers at once when overtaken, although the work may not have ended. */
  async #unlessOvertaken<T>(id: string, { order, effect }: OrderedChange, own: AbortController, work: Promise<T>) {
    let remove = (): void => {}
    const lost = new Promise<typeof overtaken>((resolve) => {
      const overtake = (): void => {
        resolve(overtaken)
        own.abort(overtaken)
      }
      remove = this.#add(id, { order, effect, overtake })
    })
    try {
      return await Promise.race([lost, work])
    } finally {
      remove()
    }
  }

  #add(id: string, running: RunningChange): () => void {
    const all = this.#running.get(id) ?? new Set()
    this.#running.set(id, all.add(running))
    return () => {
      all.delete(running)
      if (all.size === 0 && this.#running.get(id) === all) this.#running.delete(id)
    }
  }

  /** Aborts what the change overtakes. */
  #overtake(id: string, turn: Turn): Overtaking {
    const behind = [...(this.#running.get(id) ?? [])].filter((running) => overtakes(turn, running))
    if (behind.length === 0) return { cancel: () => {} }
    for (const running of behind) running.overtake()
    const ended = turn.endWork().catch(() => {})
    let cancel = (): void => {}
    const over = new Promise<void>((resolve) => {
      cancel = this.#after(OVERTAKE_TIMEOUT_MS, resolve)
    })
    return { ended, over, cancel }
  }
}

const overtakes = (one: OrderedChange, other: OrderedChange): boolean =>
  effects.indexOf(one.effect) > effects.indexOf(other.effect) && !isOlder(one.order, other.order)
