import type { Socket } from 'node:net'

/** Until the panel takes them; more are looked at on schedule. */
const MAX_DOMAINS = 1000
/** A request is a few hundred bytes of attributes. */
const MAX_REQUEST_BYTES = 65_536
const IDLE_TIMEOUT_MS = 300_000

/** Unverified domains to which somebody has just sent mail. */
export class RefusedDomains {
  readonly #domains = new Set<string>()

  add(domain: string): void {
    if (this.#domains.size < MAX_DOMAINS) this.#domains.add(domain)
  }

  take(): string[] {
    const all = [...this.#domains]
    this.#domains.clear()
    return all
  }
}

/** Postfix's policy protocol: notes the recipient's domain of each request, and leaves the decision to Postfix. */
export function servePolicy(stream: Socket, refused: RefusedDomains): void {
  let text = ''
  stream.setEncoding('utf8')
  stream.setTimeout(IDLE_TIMEOUT_MS, () => stream.destroy())
  stream.on('error', () => stream.destroy())
  stream.on('data', (data: string) => {
    const requests = `${text}${data}`.split('\n\n')
    text = requests.pop()!
    if (text.length > MAX_REQUEST_BYTES) return void stream.destroy()
    for (const request of requests) {
      const domain = /^recipient=[^\n]*@([^@\n]{1,253})$/m.exec(request)?.[1]
      if (domain !== undefined) refused.add(domain.toLowerCase())
      stream.write('action=DUNNO\n\n')
    }
  })
}
