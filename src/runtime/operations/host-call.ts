import { type Readable, Transform } from 'node:stream'
import { overloaded, Problem } from '../../contract/problem.ts'
import { untilAny } from '../../shared/until-any.ts'
import type { Clock } from '../clock/clock.ts'

/** A response of raw bytes, with the headers that describe them. */
export class RawAnswer {
  readonly status: 200 | 206
  readonly headers: Readonly<Record<string, string>>
  readonly stream: Readable
  constructor(status: 200 | 206, headers: Readonly<Record<string, string>>, stream: Readable) {
    this.status = status
    this.headers = headers
    this.stream = stream
  }
}

/** Receives a raw body, and puts it in place once the caller has been authorized again. */
export interface Inbox<Done> {
  take(bytes: AsyncIterable<Buffer>): Promise<void>
  commit(signal: AbortSignal): Promise<Done>
  /** Discards what was received; idempotent. */
  discard(): Promise<void>
}

/** In progress at a time. A caller with none may still start one up to twice `inAll`. */
const CALL_LIMITS = { ofAccount: 4, ofOwner: 8, inAll: 32 }
const STREAM_LIMITS = { ofAccount: 2, ofOwner: 8, inAll: 64 }

/**
 * Limits host calls and raw streams in flight, on each node by itself: one that no longer answers takes no slots of the
 * others. 429 `rate-limited` beyond.
 */
export class HostSlots {
  readonly #calls = new Map<string, Slots>()
  readonly #streams = new Map<string, Slots>()

  /** Takes a slot of a node for an account and its owner; returns a function that releases it. */
  call(node: string, account: string, owner: string): () => void {
    return slotsOn(this.#calls, node, CALL_LIMITS).enter(account, owner)
  }

  stream(node: string, account: string, owner: string): () => void {
    return slotsOn(this.#streams, node, STREAM_LIMITS).enter(account, owner)
  }
}

function slotsOn(nodes: Map<string, Slots>, node: string, limits: typeof CALL_LIMITS): Slots {
  const slots = nodes.get(node) ?? new Slots(limits)
  nodes.set(node, slots)
  return slots
}

class Slots {
  readonly #limits: typeof CALL_LIMITS
  readonly #accounts = new Map<string, number>()
  readonly #owners = new Map<string, number>()
  #all = 0

  constructor(limits: typeof CALL_LIMITS) {
    this.#limits = limits
  }

  enter(account: string, owner: string): () => void {
    const { ofAccount, ofOwner, inAll } = this.#limits
    const ofThisOwner = this.#owners.get(owner) ?? 0
    if ((this.#accounts.get(account) ?? 0) >= ofAccount)
      throw tooMany(`This account has ${ofAccount} such requests in progress.`)
    if (ofThisOwner >= ofOwner) throw tooMany(`The owner's accounts have ${ofOwner} such requests in progress.`)
    if (this.#all >= (ofThisOwner === 0 ? 2 * inAll : inAll)) throw tooMany('The host is busy.')
    this.#add(account, owner, 1)
    return once(() => this.#add(account, owner, -1))
  }

  #add(account: string, owner: string, by: 1 | -1): void {
    this.#all += by
    add(this.#accounts, account, by)
    add(this.#owners, owner, by)
  }
}

function add(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by
  if (count === 0) counts.delete(key)
  else counts.set(key, count)
}

function once(act: () => void): () => void {
  let done = false
  return () => {
    if (!done) act()
    done = true
  }
}

const tooMany = (detail: string): Problem =>
  new Problem('rate-limited', `${detail} Try again in a moment.`, undefined, { 'Retry-After': '1' })

const hostTime = 30_000

/** Limits how long the host may take: 503 `overloaded` beyond, or when the caller or the server goes away. */
export async function withinTime<T>(
  clock: Clock,
  caller: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController()
  const cancel = clock.after(hostTime, () => late.abort())
  const why = (): Problem =>
    overloaded(late.signal.aborted ? 'The host did not answer in time.' : 'The request was ended.')
  try {
    return await untilAny([caller, late.signal], (signal) => Promise.race([work(signal), endOf(signal, why)]))
  } finally {
    cancel()
  }
}

function endOf(signal: AbortSignal, why: () => Problem): Promise<never> {
  return new Promise((_resolve, reject) => {
    const end = (): void => reject(why())
    if (signal.aborted) end()
    signal.addEventListener('abort', end)
  })
}

const leastEachMinute = 256 * 1024
const minute = 60_000

/** Aborts a stream that is too slow. */
class Pace {
  readonly #clock: Clock
  readonly #slow: () => void
  #passed = 0
  #cancel = (): void => {}

  constructor(clock: Clock, slow: () => void) {
    this.#clock = clock
    this.#slow = slow
    this.#plan()
  }

  pass(bytes: number): void {
    this.#passed += bytes
  }

  end(): void {
    this.#cancel()
  }

  #plan(): void {
    this.#cancel = this.#clock.after(minute, () => {
      if (this.#passed < leastEachMinute) return this.#slow()
      this.#passed = 0
      this.#plan()
    })
  }
}

const tooSlow = (): Problem =>
  new Problem('validation', 'body: the upload is too slow (less than 256 KiB per minute)', {
    body: 'the upload is too slow (less than 256 KiB per minute)',
  })

/** The bytes of a body, while they arrive fast enough. */
export async function* pacedBody(clock: Clock, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let late = false
  let refuse = (): void => {}
  const pace = new Pace(clock, () => {
    late = true
    refuse()
  })
  const chunks = source[Symbol.asyncIterator]()
  // One promise per chunk: a single one raced with each would retain every chunk until the end.
  const next = (): Promise<IteratorResult<Buffer>> =>
    new Promise((resolve, reject) => {
      refuse = () => reject(tooSlow())
      if (late) refuse()
      else chunks.next().then(resolve, reject)
    })
  try {
    for (;;) {
      const { done, value } = await next()
      if (done) return
      pace.pass(value.length)
      yield value
    }
  } finally {
    pace.end()
    // An iterator still waiting for a chunk would never settle.
    void Promise.resolve(chunks.return?.()).catch(() => {})
  }
}

/** A stream that is destroyed when it is read too slowly; calls `over` at its end. */
export function pacedAnswer(clock: Clock, stream: Readable, over: () => void): Readable {
  const paced = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      pace.pass(chunk.length)
      done(null, chunk)
    },
  })
  const pace = new Pace(clock, () => paced.destroy(new Error('The client read the response too slowly.')))
  stream.on('error', (error) => paced.destroy(error))
  // The reader gets the error; an unhandled one must not end the server.
  paced.on('error', () => {})
  paced.on('close', () => {
    pace.end()
    stream.destroy()
    over()
  })
  return stream.pipe(paced)
}

/** Buffers a small raw body. 413 if it is larger than the operation allows. */
export async function gathered(clock: Clock, bytes: AsyncIterable<Buffer>, max: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of pacedBody(clock, bytes)) {
    size += chunk.length
    if (size > max) throw new Problem('too-large', `The body is larger than ${max} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
