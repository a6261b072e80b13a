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

/** The domain of a request's recipient is noted, and Postfix's own rules decide. */
export const noteDomain =
  (refused: RefusedDomains) =>
  (request: ReadonlyMap<string, string>): string => {
    const domain = /@([^@]{1,253})$/.exec(request.get('recipient') ?? '')?.[1]
    if (domain !== undefined) refused.add(domain.toLowerCase())
    return 'DUNNO'
  }

/** Postfix's policy protocol: answers each request with an action of Postfix's access tables. */
export function servePolicy(stream: Socket, decide: (request: ReadonlyMap<string, string>) => string): void {
  let text = ''
  stream.setEncoding('utf8')
  stream.setTimeout(IDLE_TIMEOUT_MS, () => stream.destroy())
  stream.on('error', () => stream.destroy())
  stream.on('data', (data: string) => {
    const requests = `${text}${data}`.split('\n\n')
    text = requests.pop()!
    if (text.length > MAX_REQUEST_BYTES) return void stream.destroy()
    for (const request of requests) stream.write(`action=${decide(attributesIn(request))}\n\n`)
  })
}

/** The first of each name counts. */
function attributesIn(request: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const line of request.split('\n')) {
    const at = line.indexOf('=')
    const name = line.slice(0, at)
    if (at > 0 && !found.has(name)) found.set(name, line.slice(at + 1))
  }
  return found
}
