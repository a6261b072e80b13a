import type { ClientRequest, IncomingMessage } from 'node:http'
import { usage } from '../../errors.ts'
import { isLoopback } from '../../target/choose.ts'

/** The server's own time limit for receivers. */
const DELIVERY_TIMEOUT_MS = 10_000

/** The receiver's URL; must be https unless it is on this machine. */
export function receiverUrl(provided: string): URL {
  const url = URL.canParse(provided) ? new URL(provided) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw usage(`--forward-to is not a URL: ${provided}`, 'for example http://localhost:3000/hooks')
  if (url.username || url.password) throw usage('--forward-to must not hold a name or password')
  if (url.protocol === 'http:' && !isLoopback(url))
    throw usage('--forward-to must be on this machine, or https', 'for example http://localhost:3000/hooks')
  return url
}

/** A receiver's response status, or why there is none. */
export interface Taken {
  readonly status?: number
  readonly error?: string
}

/** Posts like the server: ten seconds in total, no redirects. Accepts any certificate on this machine. */
export function post(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): Promise<Taken> {
  const transport = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
  const length = String(Buffer.byteLength(body))
  return new Promise((resolve) => {
    const outgoing = transport.request(
      url,
      {
        method: 'POST',
        headers: { ...headers, 'Content-Length': length },
        rejectUnauthorized: !isLoopback(url),
        agent: new transport.Agent({ keepAlive: true }),
      },
      (incoming) => drain(incoming, resolve),
    )
    outgoing.on('error', (error: NodeJS.ErrnoException) => resolve({ error: reasonOf(error) }))
    endInTime(outgoing, signal)
    outgoing.end(body)
  })
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing is listening there',
  ETIMEDOUT: 'no answer within 10 s',
  ENOTFOUND: 'the host name is unknown',
  ECONNRESET: 'the connection was closed',
}

const reasonOf = ({ code = '', message }: NodeJS.ErrnoException): string => reasons[code] ?? message

function endInTime(outgoing: ClientRequest, signal: AbortSignal): void {
  const late = (): void => void outgoing.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' }))
  const stop = (): void => void outgoing.destroy(new Error('interrupted'))
  const timer = setTimeout(late, DELIVERY_TIMEOUT_MS)
  signal.addEventListener('abort', stop)
  outgoing.on('close', () => {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  })
}

/** Only the status counts; the body is discarded. */
function drain(incoming: IncomingMessage, resolve: (taken: Taken) => void): void {
  resolve({ status: incoming.statusCode ?? 0 })
  incoming.on('error', () => undefined)
  incoming.destroy()
}
