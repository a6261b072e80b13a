import type { IncomingMessage } from 'node:http'
import { small } from './body.ts'

/** Long enough that the answer is there before its connection ends. */
const linger = 500

/**
 * Reads no more of a large body that was refused without credentials, and ends its connection: to read it to its end, as
 * one does for the next request, would let a few callers keep the server busy with nothing.
 */
export function leaveUnread(incoming: IncomingMessage | undefined): void {
  if (!incoming || incoming.complete || isSmall(incoming)) return
  const { socket } = incoming
  socket.pause()
  // Node itself would read on, to where the next request begins.
  socket.resume = () => socket
  setTimeout(() => socket.destroy(), linger).unref()
}

const isSmall = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= small.bytes
