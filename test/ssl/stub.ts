import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a hostile or slow authority returns instead of an RFC 8555 response. */
export interface Answers {
  readonly names?: readonly string[]
  readonly token?: string
  readonly type?: string
  readonly status?: string
  readonly certificate?: string
  readonly newOrder?: string
  /** The order is ready after so many reads; or `unready`: its first finalization is refused as too early. */
  readonly ready?: number | 'unready'
  /** Orders are refused with this `Retry-After`. */
  readonly rateLimited?: string
}

/** An authority on loopback that validates nothing and returns what it is told to. */
export class StubAuthority {
  answers: Answers = {}
  /** Requested paths. */
  readonly requests: string[] = []
  readonly #server: Server

  constructor() {
    this.#server = createServer((req, res) => {
      const path = req.url!
      this.requests.push(path)
      res.setHeader('Replay-Nonce', String(this.requests.length))
      res.setHeader('Location', `${this.url}${path}/1`)
      req.resume().on('end', () => {
        const body = this.#refusal(path, res) ?? this.#answer(path)
        res.end(typeof body === 'string' ? body : JSON.stringify(body))
      })
    })
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async start(): Promise<void> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done))
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((done) => this.#server.close(done))
  }

  #count = (path: string): number => this.requests.filter((one) => one === path).length

  #refusal(path: string, res: ServerResponse): object | undefined {
    const refused = (status: number, type: string, detail: string): object => {
      res.statusCode = status
      return { type: `urn:ietf:params:acme:error:${type}`, detail }
    }
    const { ready, rateLimited } = this.answers
    if (path === '/order' && rateLimited !== undefined) {
      res.setHeader('Retry-After', rateLimited)
      return refused(429, 'rateLimited', 'too many certificates')
    }
    const isEarly = path === '/finalize' && ready === 'unready' && this.#count(path) === 1
    return isEarly ? refused(403, 'orderNotReady', 'not ready') : undefined
  }

  /** The order's status while it waits for its finalization. */
  #waiting(path: string): string | undefined {
    const { ready } = this.answers
    if (ready === undefined || path !== '/order/1') return undefined
    const finalized = this.#count('/finalize') >= (ready === 'unready' ? 2 : 1)
    if (finalized) return undefined
    return ready === 'unready' || this.#count(path) >= ready ? 'ready' : 'pending'
  }

  #answer(path: string): object | string {
    const { url } = this
    const {
      names = ['shop.example'],
      token = 'token',
      type = 'http-01',
      status = 'valid',
      certificate = '',
    } = this.answers
    if (path === '/directory')
      return {
        newNonce: `${url}/nonce`,
        newAccount: `${url}/account`,
        newOrder: this.answers.newOrder ?? `${url}/order`,
      }
    if (path === '/order')
      return { authorizations: names.map((name) => `${url}/authorization/${name}`), finalize: `${url}/finalize` }
    const [, name] = /^\/authorization\/(.*)$/.exec(path) ?? []
    const isProven = this.requests.includes('/challenge')
    if (name)
      return {
        status: isProven ? status : 'pending',
        identifier: { type: 'dns', value: name },
        challenges: [{ type, url: `${url}/challenge`, token }],
      }
    if (path === '/certificate') return certificate
    const waiting = this.#waiting(path)
    if (waiting) return { status: waiting }
    return { status: 'valid', certificate: `${url}/certificate` }
  }
}
