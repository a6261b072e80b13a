import { request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

/** What to request, and where it listens: a socket path or a port. */
export interface Question {
  readonly where: string
  readonly host: string
  readonly path: string
}

/** The last result: a status, or a system error. */
export type Heard = number | string

export const isHealthy = (heard: Heard): boolean => typeof heard === 'number' && heard >= 200 && heard < 400

const PROBE_TIMEOUT_MS = 10_000
const first = 50
const MAX_PAUSE_MS = 1_000

/** One request. Only the status counts: the body is not read. */
export function ask({ where, host, path }: Question, signal?: AbortSignal): Promise<Heard> {
  const target = where.startsWith('/') ? { socketPath: where } : { host: '127.0.0.1', port: Number(where) }
  return new Promise((resolve) => {
    const requested = request({ ...target, path, headers: { host }, agent: false, timeout: PROBE_TIMEOUT_MS, signal })
    requested.on('response', (answer) => {
      resolve(answer.statusCode ?? 0)
      answer.destroy()
    })
    requested.on('timeout', () => requested.destroy(Object.assign(new Error(), { code: 'ETIMEDOUT' })))
    requested.on('error', ({ code, message }: NodeJS.ErrnoException) => resolve(code ?? message))
    requested.end()
  })
}

/** Polls until healthy or aborted; returns the last result. */
export async function untilHealthy(once: (signal: AbortSignal) => Promise<Heard>, signal: AbortSignal): Promise<Heard> {
  let heard: Heard = 'ENOENT'
  for (let wait = first; !signal.aborted; wait = Math.min(MAX_PAUSE_MS, wait * 1.5)) {
    const answer = await once(signal)
    if (isHealthy(answer)) return answer
    if (!signal.aborted) heard = answer
    await pause(wait, undefined, { signal }).catch(() => {})
  }
  return heard
}

/** Why it is not healthy, as the end of a sentence. */
export function problemOf(heard: Heard, path: string, listen: 'socket' | 'port'): string {
  if (typeof heard === 'number') return `GET ${path} was answered with status ${heard}`
  if (heard === 'ENOENT' || heard === 'ECONNREFUSED') return nothingListens[listen]
  return heard === 'ETIMEDOUT' ? `GET ${path} was not answered` : `GET ${path} failed with ${heard}`
}

const nothingListens = {
  socket:
    'nothing listens on the socket that PORT names (a program that wants a number as PORT, or a fixed port, needs --listen port: panel apps update)',
  port: 'nothing listens on the port that PORT names (the program must listen on that number on 127.0.0.1, not on a fixed one)',
} as const
