import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Takes webhooks and answers each at once. */
export interface Receiver {
  readonly url: string
  /** Calls back with the body of each, from now on. */
  report(take: (body: string) => void): void
  close(): void
}

export async function startReceiver(): Promise<Receiver> {
  let take: (body: string) => void = () => {}
  const server = createServer((request, response) => {
    let body = ''
    request
      .setEncoding('utf8')
      .on('data', (part: string) => {
        body += part
      })
      .on('end', () => {
        take(body)
        response.end()
      })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    report: (next) => {
      take = next
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
