import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { refused } from '../errors.ts'
import { type Client, type RequestQuery, readAnswer, requestIdOf, requestOptions, transportOf } from './client.ts'
import { networkError } from './network.ts'

/** Bytes to send, with their number if known. */
export interface Sent {
  readonly stream: Readable
  readonly size?: number
}

interface RawRequest {
  readonly method: string
  readonly path: string
  readonly query?: RequestQuery
  readonly headers?: Readonly<Record<string, string>>
}

const silence = 120_000

/** A request with a raw body or response; throws unless it is 2xx. */
export async function exchangeBytes({ target }: Client, request: RawRequest, sent?: Sent): Promise<IncomingMessage> {
  const { transport, agent } = transportOf(target)
  const lengths = sent?.size === undefined ? {} : { 'content-length': String(sent.size) }
  const own = sent ? { 'content-type': 'application/octet-stream', ...lengths } : {}
  const options = requestOptions(target, { ...request, headers: { ...own, ...request.headers } }, undefined)
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    const fail = (error: Error): void => reject(networkError(error, target))
    const outgoing = transport.request({ agent, ...options }, (incoming) => {
      // The answer may come before the stream's end: the request then never ends, and its connection would stay open.
      incoming.on('end', () => outgoing.writableEnded || outgoing.destroy())
      resolve(incoming)
    })
    outgoing.on('error', fail)
    outgoing.setTimeout(silence, () => outgoing.destroy(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })))
    if (!sent) return void outgoing.end()
    sent.stream.on('error', (error) => {
      outgoing.destroy()
      reject(error)
    })
    sent.stream.pipe(outgoing)
  })
  sent?.stream.destroy()
  if ((incoming.statusCode ?? 0) < 300) return incoming
  const answer = await readAnswer(incoming, target)
  throw refused(target, answer.status, answer.body, requestIdOf(answer))
}
