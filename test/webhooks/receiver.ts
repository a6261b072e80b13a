import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A request as received. */
export interface Received {
  readonly headers: Record<string, string>
  readonly body: string
  readonly method: string
  readonly url: string
  readonly at: number
}

export type Answering = (request: IncomingMessage, response: ServerResponse, body: string) => void

/** A receiver of webhooks on 127.0.0.1 that records its requests. */
export class Receiver {
  readonly received: Received[] = []
  answer: Answering
  #server: Server
  #waiting: { count: number; resolve: () => void }[] = []

  constructor(
    answer: Answering,
    server?: (handle: (request: IncomingMessage, response: ServerResponse) => void) => Server,
  ) {
    this.answer = answer
    const handle = (request: IncomingMessage, response: ServerResponse): void => void this.#take(request, response)
    this.#server = server ? server(handle) : createServer(handle)
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`
  }

  get bodies(): { id: string; type: string; [field: string]: unknown }[] {
    return this.received.map(({ body }) => JSON.parse(body))
  }

  listen(host = '127.0.0.1'): Promise<this> {
    return new Promise((resolve) => this.#server.listen(0, host, () => resolve(this)))
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
    })
  }

  /** Resolves when a total number of requests has arrived. */
  got(count: number): Promise<void> {
    if (this.received.length >= count) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push({ count, resolve }))
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString('utf8')
    const headers = request.headers as Record<string, string>
    this.received.push({ headers, body, method: request.method!, url: request.url!, at: performance.now() })
    this.answer(request, response, body)
    const ready = this.#waiting.filter(({ count }) => count <= this.received.length)
    this.#waiting = this.#waiting.filter((one) => !ready.includes(one))
    for (const { resolve } of ready) resolve()
  }
}

/** Responds with a status and a short text. */
export const status =
  (code: number, text = '', headers: Record<string, string> = {}): Answering =>
  (_request, response) =>
    void response.writeHead(code, headers).end(text)

/** A receiver that is stopped after the test. */
export async function startReceiver(answer: Answering = status(200, 'ok')): Promise<Receiver> {
  const receiver = await new Receiver(answer).listen()
  onTestFinished(() => receiver.close())
  return receiver
}
