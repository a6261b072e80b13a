import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'

/** An answer that was taken down from the panel. */
export interface Recorded {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
}

/** What it serves: answers by path, and a certificate where it is to speak TLS. */
export interface Script {
  readonly answers: Readonly<Record<string, Recorded>>
  readonly tls?: { readonly cert: string; readonly key: string }
}

const { answers, tls } = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as Script

/** Node's own server, which says the same bytes and knows nothing else. */
const listener: Parameters<typeof createServer>[1] = (request, response) => {
  const { status, headers, body } = answers[request.url!]!
  response.writeHead(status, headers).end(body)
}

const server = tls ? createTlsServer(tls, listener) : createServer(listener)
server.listen(0, '127.0.0.1', () => {
  console.log(`listens on ${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.once('SIGTERM', () => process.exit())
