import { exit } from '../../../shared/exit.ts'
import { badAnswer, CliError, codeOf } from '../../errors.ts'
import { type Client, pause, type RequestQuery } from '../../request/client.ts'
import { note } from '../../terminal.ts'

/** An event of the feed. */
export interface FeedEvent {
  readonly seq: number
  readonly id: string
  readonly type: string
  readonly [field: string]: unknown
}

export interface Following {
  readonly client: Client
  /** The feed of the server or an account. */
  readonly path: string
  readonly types?: string
  /** The cursor to start after; by default, now. */
  readonly after?: number
  /** The time to start at, instead of a cursor. */
  readonly since?: number
  readonly signal: AbortSignal
}

interface FeedPage {
  readonly items: readonly FeedEvent[]
  readonly next: number
  readonly gap?: true
}

/** Seconds of long polling. */
const hold = 25
/** After so long without a byte the connection counts as dead. */
const REPLY_TIMEOUT_MS = (hold + 10) * 1000
const MAX_PAGE_SIZE = 500
const MAX_RETRY_PAUSE_MS = 30_000
/** Pause between empty responses, in case a server does not support long polling. */
const minPause = 1000
const endOfFeed = Number.MAX_SAFE_INTEGER

/** Follows the feed across reconnects: no event is missed or repeated. */
export class Feed {
  /** Events after it have not been handled yet. */
  cursor = 0
  readonly #following: Following

  constructor(following: Following) {
    this.#following = following
  }

  /** Finds the starting point; fails if the server is unreachable. */
  async begin(): Promise<void> {
    const { after, since } = this.#following
    if (since !== undefined) return this.#beginAt(since)
    const page = await this.#read({ after: after ?? endOfFeed })
    this.cursor = after ?? page.next
    if (after !== undefined && page.items.length === 0 && page.next < after) this.cursor = page.next
  }

  async #beginAt(since: number): Promise<void> {
    const { items, next } = await this.#read({ since, limit: 1 })
    this.cursor = items[0] ? items[0].seq - 1 : next
  }

  /** Marks an event as handled. */
  passed({ seq }: FeedEvent): void {
    this.cursor = seq
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<FeedEvent> {
    const { signal } = this.#following
    while (!signal.aborted) {
      const begun = performance.now()
      const page = await this.#patiently()
      this.#sayGap(page)
      for (const event of page.items) if (event.seq > this.cursor) yield event
      this.cursor = page.next
      const early = minPause - (performance.now() - begun)
      if (page.items.length === 0 && early > 0) await pause(early, signal)
    }
  }

  #sayGap({ gap, next }: FeedPage): void {
    if (gap) note(`gap: events after ${this.cursor} have been pruned; continuing with the rest`)
    if (next >= this.cursor) return
    note(`gap: the feed of ${this.#label} ends before ${this.cursor}; continuing after ${next}`)
    this.cursor = next
  }

  get #label(): string {
    return this.#following.client.target.label
  }

  /** Reads on, and waits for an unreachable server. */
  async #patiently(): Promise<FeedPage> {
    const { signal } = this.#following
    for (let problem = 0, lost = 0; ; problem++) {
      try {
        const page = await this.#read({ after: this.cursor, ...(problem === 0 && { wait: hold }) })
        if (problem > 0) note(`${this.#label} is back after ${seconds(lost)}; continuing after ${this.cursor}`)
        return page
      } catch (error) {
        signal.throwIfAborted()
        if (!mayPass(error)) throw error
        if (problem === 0) lost = performance.now()
        if (problem === 0) note(`lost the server: ${error.problem.title}; trying again`)
        await pause(backoff(problem), signal)
        signal.throwIfAborted()
      }
    }
  }

  async #read(requested: RequestQuery): Promise<FeedPage> {
    const { client, path, types, signal } = this.#following
    const query = { limit: MAX_PAGE_SIZE, ...requested, ...(types && { type: types }) }
    const request = { method: 'GET', path, query, timeout: REPLY_TIMEOUT_MS, attempts: 1, signal }
    return pageIn((await client.call(request)).body, client)
  }
}

const seconds = (since: number): string => `${Math.max(1, Math.round((performance.now() - since) / 1000))} s`

/** Exponential, with jitter, so that many clients do not return at once. */
const backoff = (problem: number): number =>
  Math.min(MAX_RETRY_PAUSE_MS, 500 * 2 ** problem) * (0.5 + Math.random() / 2)

/** Whether the connection or the server failed temporarily; refusals are final. */
function mayPass(error: unknown): error is CliError {
  if (!(error instanceof CliError)) return false
  const { status = 0 } = error.problem
  if (error.exit === exit.network) return codeOf(error.problem) !== 'untrusted'
  return status === 429 || status >= 500
}

function pageIn(body: unknown, { target }: Client): FeedPage {
  const page = body as FeedPage | null
  if (!Array.isArray(page?.items) || !page.items.every(isEvent) || !Number.isSafeInteger(page.next))
    throw badAnswer(target)
  return page
}

const isEvent = (item: unknown): item is FeedEvent => {
  const event = item as Partial<FeedEvent> | null
  return Number.isSafeInteger(event?.seq) && typeof event?.id === 'string' && typeof event.type === 'string'
}
