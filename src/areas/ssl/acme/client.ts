import type { KeyObject } from 'node:crypto'
import type { Exchange, Exchanged } from '../../../outgoing/exchange.ts'
import { AcmeError, refusalOf } from './error.ts'
import { jws } from './jws.ts'
import { refuseAddress } from './url.ts'

export interface AcmeOptions {
  readonly directory: string
  readonly contact: string | undefined
  /** The account's key at this authority. */
  readonly key: KeyObject
  readonly ca: string | undefined
  readonly signal: AbortSignal
  readonly exchange: (request: Exchange) => Promise<Exchanged>
  readonly now: () => number
}

/** A response, its body parsed if it is JSON. */
export interface AcmeAnswer {
  readonly status: number
  readonly headers: Exchanged['headers']
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: what a foreign server sent
  readonly json: any
}

/** What `Retry-After` asks for, in seconds or as a date (RFC 9110, 10.2.3), in milliseconds. */
export function retryAfterOf({ headers }: Pick<AcmeAnswer, 'headers'>, now: number): number | undefined {
  const text = headers['retry-after']?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const at = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(at - now, 0)
}

type Resource = 'newNonce' | 'newAccount' | 'newOrder'
const nonceTries = 5

/** An RFC 8555 client for one authority and account. */
export class AcmeClient {
  readonly #options: AcmeOptions
  #directory: Record<Resource, string> | undefined
  #kid: string | undefined
  #nonce: string | undefined

  constructor(options: AcmeOptions) {
    this.#options = options
  }

  /** Finds the account, or creates it and agrees to the terms. */
  async open(): Promise<void> {
    const { directory, contact } = this.#options
    const { json, status } = await this.#send({ method: 'GET', url: directory })
    if (status !== 200 || typeof json?.newOrder !== 'string')
      throw new AcmeError(`${directory} is not an ACME directory; check acme_directory_url`)
    this.#directory = json
    const wish = { termsOfServiceAgreed: true, ...(contact ? { contact: [`mailto:${contact}`] } : {}) }
    const account = await this.post(json.newAccount, wish, 'The certificate authority refused the account')
    this.#kid = account.headers['location']
    if (this.#kid === undefined) throw new AcmeError('The certificate authority named no account')
  }

  get newOrder(): string {
    return this.#directory!.newOrder
  }

  /** Sends a signed request, or a POST-as-GET without payload; throws unless it succeeds. */
  async post(url: string, payload: object | undefined, failure: string): Promise<AcmeAnswer> {
    for (let tries = 1; ; tries++) {
      const nonce = this.#nonce ?? (await this.#newNonce())
      this.#nonce = undefined
      const body = jws(this.#options.key, { url, nonce, kid: this.#kid, payload })
      const answer = await this.#send({
        method: 'POST',
        url,
        body,
        headers: { 'Content-Type': 'application/jose+json' },
      })
      if (answer.status >= 200 && answer.status < 300) return answer
      const refusal = refusalOf(failure, answer.json, { retryAfterMs: retryAfterOf(answer, this.#options.now()) })
      if (refusal.type !== 'badNonce' || tries === nonceTries) throw refusal
    }
  }

  async #newNonce(): Promise<string> {
    await this.#send({ method: 'HEAD', url: this.#directory!.newNonce })
    if (this.#nonce === undefined) throw new AcmeError('The certificate authority gives no nonces')
    return this.#nonce
  }

  async #send(request: Pick<Exchange, 'method' | 'url' | 'body' | 'headers'>): Promise<AcmeAnswer> {
    refuseAddress(request.url)
    const { ca, signal } = this.#options
    const headers = { 'User-Agent': 'panel/1', ...request.headers }
    const { status, headers: got, body: text } = await this.#options.exchange({ ...request, headers, ca, signal })
    this.#nonce = got['replay-nonce'] ?? this.#nonce
    return { status, headers: got, text, json: parsed(text) }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
