import type { Agent, Dispatcher, Pool } from 'undici'
import type { Reach } from './address.ts'
import { checked, type Guards, guardedConnector } from './connect.ts'
import { failureOf, OutgoingError } from './error.ts'
import { policyOf } from './policy.ts'
import { resolverOf } from './resolve.ts'
import { type Visit, type Visited, visit } from './visit.ts'

export interface Post {
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string | Buffer
  readonly reach: Reach
  /** Aborts all of it: name, connection, TLS, headers and body. */
  readonly signal: AbortSignal
}

export interface PostAnswer {
  readonly status: number
  /** The first bytes of the body, at most 4 KiB. */
  readonly start: Buffer
}

export interface Get extends Omit<Post, 'body'> {
  /** A longer body is an error. */
  readonly maxBytes: number
}

export interface GetAnswer {
  readonly status: number
  readonly body: Buffer
}

const bodyBytes = 4096
/** A response counts once its headers have arrived: a slow body is not waited for. */
const BODY_TIMEOUT_MS = 1000
const manyOrigins = 2000
const MAX_HEADER_BYTES = 64 * 1024
/** Addresses are checked with this port, whatever port is meant. */
const httpsPort = 443

/** Loaded with the first request: it takes much memory, and many servers never send one. */
const client = () => import('./undici.ts')
type Undici = Awaited<ReturnType<typeof client>>

/** The only way out: every request to a user-supplied address goes through here. */
export class Outgoing {
  readonly #guards: Guards
  readonly #agents = new Map<Reach, Agent>()
  #origins = 0

  constructor(guards: Partial<Guards> = {}) {
    const panelPorts = guards.panelPorts ?? (() => [])
    this.#guards = {
      ...guards,
      panelPorts,
      resolve: guards.resolve ?? resolverOf(),
      allows: guards.allows ?? policyOf(panelPorts),
    }
  }

  /**
   * Posts once, without redirects, retries or decompression. Throws OutgoingError; unexpected errors pass unchanged.
   */
  async post({ url, headers, body, reach, signal }: Post): Promise<PostAnswer> {
    try {
      signal.throwIfAborted()
      const undici = await client()
      const dispatcher = this.#agent(undici, reach)
      const answer = await unlessAborted(
        undici.request(url, { dispatcher, method: 'POST', headers, body, signal }),
        signal,
      )
      return { status: answer.statusCode, start: await startOf(answer.body) }
    } catch (error) {
      throw failureOf(error, signal)
    }
  }

  /** Gets once, by the same rules, the whole body. Throws OutgoingError. */
  async get({ url, headers, reach, maxBytes, signal }: Get): Promise<GetAnswer> {
    try {
      signal.throwIfAborted()
      const undici = await client()
      const dispatcher = this.#agent(undici, reach)
      const answer = await unlessAborted(undici.request(url, { dispatcher, method: 'GET', headers, signal }), signal)
      return { status: answer.statusCode, body: await bodyOf(answer.body, maxBytes) }
    } catch (error) {
      throw failureOf(error, signal)
    }
  }

  /** The addresses of a host for another program to connect to: all public or listed, else throws OutgoingError. */
  addressesOf(host: string, isListed: (address: string) => boolean): Promise<string[]> {
    const { resolve, allows } = this.#guards
    const allowed = (address = ''): boolean => isListed(address) || allows(address, httpsPort, 'public')
    return checked(host, resolve, allowed)
  }

  /** Gets a page at an address that the caller has checked, or that is this server's. Throws OutgoingError. */
  async visit(page: Omit<Visit, 'port'>): Promise<Visited> {
    try {
      return await visit({ ...page, port: this.#guards.visitPort?.() ?? httpsPort })
    } catch (error) {
      throw failureOf(error, page.signal)
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#agents.values()].map((agent) => agent.destroy()))
  }

  #agent(undici: Undici, reach: Reach): Agent {
    if (this.#origins >= manyOrigins) this.#forget()
    let agent = this.#agents.get(reach)
    if (!agent) {
      agent = this.#newAgent(undici, reach)
      this.#agents.set(reach, agent)
    }
    return agent
  }

  /** An agent keeps a pool for every origin it has seen. */
  #forget(): void {
    for (const agent of this.#agents.values()) void agent.close().catch(() => {})
    this.#agents.clear()
    this.#origins = 0
  }

  #newAgent({ Agent, Pool, buildConnector }: Undici, reach: Reach): Agent {
    return new Agent({
      connect: guardedConnector(buildConnector, this.#guards, reach),
      factory: (origin, options) => {
        this.#origins++
        return new Pool(origin, options as Pool.Options)
      },
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEADER_BYTES,
      pipelining: 1,
    })
  }
}

/** undici only notices an abort once it is connected. */
const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    work.then(resolve, reject)
  })

async function bodyOf(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    // Leaving the loop destroys the body.
    if (size > maxBytes) throw new OutgoingError('answer')
  }
  return Buffer.concat(chunks)
}

/** Returns what has arrived, even if the body broke off. */
async function startOf(body: Dispatcher.ResponseData['body']): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  const giveUp = setTimeout(() => body.destroy(), BODY_TIMEOUT_MS)
  try {
    for await (const chunk of body) {
      chunks.push(chunk)
      size += chunk.length
      if (size >= bodyBytes) break
    }
  } catch {
    // The status has already told the outcome.
  } finally {
    clearTimeout(giveUp)
  }
  return Buffer.concat(chunks).subarray(0, bodyBytes)
}

export { OutgoingError }
