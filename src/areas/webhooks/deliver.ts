import type { AttemptError } from '../../contract/webhooks.ts'
import { type Outgoing, OutgoingError } from '../../outgoing/client.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { deliveryHeaders } from '../../shared/signature.ts'
import type { Claim } from './claim.sql.ts'
import { secretsOf } from './secret.ts'
import type { SettleOutcome } from './settle.sql.ts'

/** Total time: name, connection, TLS, headers and body (contract: Limits). */
const DELIVERY_TIMEOUT_MS = 10_000
const MAX_RESPONSE_CHARACTERS = 1024

/** Makes one attempt. Never throws: errors are outcomes. */
export async function deliver(runtime: Runtime, outgoing: Outgoing, claim: Claim): Promise<SettleOutcome> {
  const { clock } = runtime
  const at = clock.now()
  const began = performance.now()
  const deadline = new AbortController()
  const cancel = clock.after(DELIVERY_TIMEOUT_MS, () => deadline.abort())
  try {
    const answer = await post(runtime, outgoing, claim, at, deadline.signal)
    return { at, duration_ms: since(began), ...verdict(answer.status), ...startOf(answer.start) }
  } catch (error) {
    if (!(error instanceof OutgoingError))
      runtime.log.error({ err: error, delivery: claim.id }, 'a delivery failed here')
    return { at, duration_ms: since(began), error: error instanceof OutgoingError ? error.kind : 'connect' }
  } finally {
    cancel()
  }
}

function post(runtime: Runtime, outgoing: Outgoing, claim: Claim, at: number, signal: AbortSignal) {
  const { event_id: event, event_type: type, number, body } = claim
  const headers = deliveryHeaders(secretsOf(runtime, claim.keys), {
    event,
    type,
    number,
    timestamp: Math.floor(at / 1000),
    body,
  })
  return outgoing.post({
    url: claim.url,
    headers,
    body,
    reach: claim.account_id === null ? 'private' : 'public',
    signal,
  })
}

const since = (began: number): number => Math.round(performance.now() - began)

function verdict(http_status: number): { http_status: number; error?: AttemptError } {
  if (http_status >= 200 && http_status < 300) return { http_status }
  return { http_status, error: http_status >= 300 && http_status < 400 ? 'redirect' : 'status' }
}

const unprintable = /[^\P{Cc}\t\n\r]/gu

/** The start of a response as safe text: no control characters, no unpaired surrogates. */
function startOf(bytes: Buffer): { response_start?: string } {
  const text = new TextDecoder()
    .decode(bytes, { stream: true })
    .replace(unprintable, '\ufffd')
    .slice(0, MAX_RESPONSE_CHARACTERS)
  return text === '' ? {} : { response_start: endsInHalf(text) ? text.slice(0, -1) : text }
}

const endsInHalf = (text: string): boolean => /[\ud800-\udbff]$/.test(text)
