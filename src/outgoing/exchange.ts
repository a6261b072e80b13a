import type { Dispatcher } from 'undici'
import { failureOf } from './error.ts'

export interface Exchange {
  readonly method: 'GET' | 'HEAD' | 'POST'
  readonly url: string
  readonly headers?: Record<string, string>
  readonly body?: string
  /** Certificates to trust instead of Node's own. */
  readonly ca?: string | undefined
  readonly signal: AbortSignal
}

export interface Exchanged {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const MAX_BODY_BYTES = 1024 * 1024
const REPLY_TIMEOUT_MS = 20_000

/** One request to a server that the administrator chose, without redirects or retries. */
export async function exchange({ method, url, headers = {}, body, ca, signal }: Exchange): Promise<Exchanged> {
  const { Agent, request } = await import('./undici.ts')
  const dispatcher = new Agent({
    connect: { timeout: REPLY_TIMEOUT_MS, ...(ca === undefined ? {} : { ca }) },
    maxResponseSize: MAX_BODY_BYTES,
  })
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(REPLY_TIMEOUT_MS)])
  try {
    const answer = await request(url, {
      dispatcher,
      method,
      headers,
      signal: bounded,
      ...(body === undefined ? {} : { body }),
    })
    return { status: answer.statusCode, headers: plain(answer.headers), body: await answer.body.text() }
  } catch (error) {
    throw failureOf(error, bounded)
  } finally {
    await dispatcher.destroy()
  }
}

const plain = (headers: Dispatcher.ResponseData['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )
