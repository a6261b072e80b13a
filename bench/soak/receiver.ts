import { createServer, type Server } from 'node:http'

/** Takes webhooks, and remembers which event came and whether a delivery number came twice. */
export class Receiver {
  readonly events = new Set<string>()
  readonly #numbers = new Set<string>()
  requests = 0
  repeated = 0
  readonly #server: Server

  constructor() {
    this.#server = createServer((request, response) => {
      const number = String(request.headers['x-panel-delivery'])
      if (this.#numbers.has(number)) this.repeated++
      this.#numbers.add(number)
      this.events.add(number.slice(0, 26))
      this.requests++
      request.resume()
      response.end()
    })
  }

  listen(): Promise<string> {
    return new Promise((resolve) => {
      this.#server.listen(0, '127.0.0.1', () => {
        const address = this.#server.address()
        resolve(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`)
      })
    })
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}
