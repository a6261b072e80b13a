import type { IncomingHttpHeaders } from 'node:http'
import { small } from './body.ts'
import type { Environment } from './environment.ts'

/** Long enough that the answer is there before its connection ends. */
const linger = 500

/**
 * Reads no more of a large body that was refused without credentials, and ends its connection: to read it to its end, as
 * one does for the next request, would let a few callers keep the server busy with nothing.
 */
export function leaveUnread({ incoming, outgoing }: Environment): void {
  if (!incoming || !outgoing || incoming.complete || isSmall(incoming.headers)) return
  const { socket } = incoming
  socket.pause()
  // Node itself would read on, to where the next request begins.
  socket.resume = () => socket
  outgoing.shouldKeepAlive = false
  // Destroyed with bytes unread, the connection would be reset, and the answer be lost on its way.
  socket.destroySoon = () => void socket.end()
  outgoing.once('close', () => setTimeout(() => socket.destroy(), linger).unref())
}

const isSmall = (headers: IncomingHttpHeaders): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= small.bytes
