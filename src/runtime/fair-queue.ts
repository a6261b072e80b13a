import { overloaded, Problem } from '../contract/problem.ts'
import type { Turn } from './jobs/shares.ts'

const MAX_WAITING_OF_MEMBER = 16
const MAX_WAITING_OF_OWNER = 64

type Start = () => void

/** An owner's waiting work, by member. */
class WaitingCalls {
  readonly #members = new Map<string, Start[]>()
  #count = 0

  get count(): number {
    return this.#count
  }

  add(member: string, start: Start): void {
    const starts = this.#members.get(member) ?? []
    if (starts.length >= MAX_WAITING_OF_MEMBER || this.#count >= MAX_WAITING_OF_OWNER) throw tooMany()
    this.#members.set(member, [...starts, start])
    this.#count++
  }

  next(): Start {
    const [member, [start, ...others]] = takeFirst(this.#members) as [string, [Start, ...Start[]]]
    if (others.length > 0) this.#members.set(member, others)
    this.#count--
    return start
  }
}

/**
 * Limits slow work in progress. What waits takes turns: root's is next, then turns go round the owners, and in an owner's
 * turn round its members, so that nobody waits behind all of somebody else's. 429 `rate-limited` if a member or an owner
 * has many waiting. 503 `overloaded` if the queue is full, but an owner with none waiting may have one up to twice that.
 */
export class FairQueue {
  readonly #permits: number
  readonly #maxWaiting: number
  readonly #ofRoot: Start[] = []
  readonly #owners = new Map<string, WaitingCalls>()
  #ofTenants = 0
  #running = 0

  constructor(permits: number, maxWaiting: number) {
    this.#permits = permits
    this.#maxWaiting = maxWaiting
  }

  get waiting(): number {
    return this.#ofRoot.length + this.#ofTenants
  }

  /** An undefined turn is root's. */
  async run<T>(turn: Turn | undefined, work: () => Promise<T>): Promise<T> {
    await this.#acquire(turn)
    try {
      return await work()
    } finally {
      const next = this.#ofRoot.shift() ?? this.#nextOfTenants()
      if (next) next()
      else this.#running--
    }
  }

  async #acquire(turn: Turn | undefined): Promise<void> {
    if (this.#running < this.#permits) return void this.#running++
    await new Promise<void>((start) => (turn ? this.#addTenant(turn, start) : this.#addRoot(start)))
  }

  #addRoot(start: Start): void {
    if (this.#ofRoot.length >= this.#maxWaiting) throw full()
    this.#ofRoot.push(start)
  }

  #addTenant({ owner, member }: Turn, start: Start): void {
    const waiting = this.#owners.get(owner) ?? new WaitingCalls()
    if (this.#ofTenants >= (waiting.count === 0 ? 2 * this.#maxWaiting : this.#maxWaiting)) throw full()
    waiting.add(member, start)
    this.#owners.set(owner, waiting)
    this.#ofTenants++
  }

  #nextOfTenants(): Start | undefined {
    const first = takeFirst(this.#owners)
    if (!first) return undefined
    const [owner, waiting] = first
    const start = waiting.next()
    if (waiting.count > 0) this.#owners.set(owner, waiting)
    this.#ofTenants--
    return start
  }
}

/** A map lists what was set first: what is taken and set again comes last. */
function takeFirst<T>(map: Map<string, T>): [string, T] | undefined {
  const [first] = map
  if (first) map.delete(first[0])
  return first
}

const full = (): Problem => overloaded('The server is busy. Try again shortly.')

const tooMany = (): Problem =>
  new Problem('rate-limited', 'Many of your requests are waiting already. Try again in a moment.', undefined, {
    'Retry-After': '1',
  })
