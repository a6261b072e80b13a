/** An address that failed to sign in as often as is allowed. */
export interface FailureTally<Service extends string> {
  readonly network: string
  /** Where it failed last. */
  readonly service: Service
  readonly failures: number
  readonly logins: readonly FailedLogin<Service>[]
  /** Whether it failed at more logins than these. */
  readonly more: boolean
}

/** A name that was tried. */
export interface FailedLogin<Service extends string> {
  readonly service: Service
  readonly name: string
  readonly count: number
}

export interface Failure<Service extends string> {
  readonly network: string
  readonly service: Service
  readonly name: string | undefined
  readonly now: number
}

interface Bucket<Service extends string> {
  level: number
  at: number
  failures: number
  readonly logins: Map<string, FailedLogin<Service>>
  more: boolean
}

/** One failure a minute is forgotten. */
const LEAK_MS = 60_000
/** Whoever has more addresses than this pushes out the longest unseen. */
const MAX_COUNTED = 20_000
export const MAX_LOGINS = 10
export const MAX_LOGIN_LENGTH = 64

/** Leaky buckets of failed sign-ins by network, of bounded size. */
export class FailureCounter<Service extends string> {
  readonly #buckets = new Map<string, Bucket<Service>>()

  get size(): number {
    return this.#buckets.size
  }

  /** The tally, once a network has failed `limit` times faster than failures are forgotten; it then starts anew. */
  add({ network, service, name, now }: Failure<Service>, limit: number): FailureTally<Service> | undefined {
    const bucket = this.#taken(network, now)
    bucket.level += 1
    bucket.failures++
    note(bucket, service, name)
    if (bucket.level <= limit - 1) {
      this.#keep(network, bucket)
      return undefined
    }
    const { failures, logins, more } = bucket
    return { network, service, failures, logins: [...logins.values()], more }
  }

  /** A success counts for the address: half of its failures are forgiven. */
  halve(network: string, now: number): void {
    if (!this.#buckets.has(network)) return
    const bucket = this.#taken(network, now)
    bucket.level /= 2
    this.#keep(network, bucket)
  }

  forget(network: string): void {
    this.#buckets.delete(network)
  }

  #taken(network: string, now: number): Bucket<Service> {
    const bucket = this.#buckets.get(network)
    this.#buckets.delete(network)
    // A clock that went back leaks nothing.
    const level = bucket ? bucket.level - Math.max(0, now - bucket.at) / LEAK_MS : 0
    if (!bucket || level <= 0) return { level: 0, at: now, failures: 0, logins: new Map(), more: false }
    bucket.level = level
    bucket.at = now
    return bucket
  }

  /** At the end of the map, whose first entries go when it is full. */
  #keep(network: string, bucket: Bucket<Service>): void {
    this.#buckets.set(network, bucket)
    if (this.#buckets.size <= MAX_COUNTED) return
    for (const oldest of this.#buckets.keys()) return void this.#buckets.delete(oldest)
  }
}

function note<Service extends string>(bucket: Bucket<Service>, service: Service, name: string | undefined): void {
  if (name === undefined || name.length > MAX_LOGIN_LENGTH) {
    bucket.more = true
    return
  }
  const key = `${service} ${name}`
  const login = bucket.logins.get(key)
  if (!login && bucket.logins.size >= MAX_LOGINS) bucket.more = true
  else bucket.logins.set(key, { service, name, count: (login?.count ?? 0) + 1 })
}
