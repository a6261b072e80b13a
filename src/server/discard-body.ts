import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { small } from './body.ts'
import type { Environment } from './environment.ts'

/** Long enough for the response to arrive before the connection ends. */
const linger = 500

/**
 * Stops reading a large body that was refused without credentials, and closes its connection: reading to the end, as
 * for keep-alive, would let a few callers keep the server busy for nothing.
 */
export function leaveUnread({ incoming, outgoing }: Environment): void {
  if (!incoming || !outgoing || !hasMore(incoming)) return
  const { socket } = incoming
  socket.pause()
  // Node itself would read on to the next request.
  socket.resume = () => socket
  outgoing.shouldKeepAlive = false
  // Destroying it with unread bytes would reset the connection, and lose the response.
  socket.destroySoon = () => void socket.end()
  outgoing.once('close', () => setTimeout(() => socket.destroy(), linger).unref())
}

/** How much of a refused raw body is read and discarded for callers with credentials. */
const discarded = { bytes: 64 * 1024 * 1024, ms: 30_000 }

/**
 * Reads a refused file to its end before responding: many clients send all of it before they read, and would see a
 * reset connection instead of the response. If it is too long or too slow, the rest is left unread.
 */
export function discardRest(env: Environment): Promise<void> | undefined {
  const { incoming } = env
  if (!incoming || !hasMore(incoming)) return undefined
  return atItsEnd(incoming).then((ended) => {
    if (!ended) leaveUnread(env)
  })
}

const hasMore = (incoming: IncomingMessage): boolean => !incoming.complete && !isSmall(incoming.headers)

const isSmall = (headers: IncomingHttpHeaders): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= small.bytes

function atItsEnd(incoming: IncomingMessage): Promise<boolean> {
  if (Number(incoming.headers['content-length'] ?? 0) > discarded.bytes) return Promise.resolve(false)
  return new Promise((resolve) => {
    let size = 0
    const end = (ended: boolean): void => {
      clearTimeout(timer)
      incoming.off('readable', take)
      resolve(ended)
    }
    const timer = setTimeout(end, discarded.ms, false)
    const take = (): void => {
      for (let chunk = incoming.read(); chunk !== null; chunk = incoming.read()) size += chunk.length
      if (size > discarded.bytes) end(false)
    }
    incoming.on('readable', take)
    incoming.once('end', () => end(true))
    incoming.once('close', () => end(true))
  })
}
