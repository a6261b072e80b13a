import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'

const text = 'This port speaks HTTPS. Use https:// instead of http://.\n'
const answer = [
  'HTTP/1.1 400 Bad Request',
  'Content-Type: text/plain; charset=utf-8',
  `Content-Length: ${Buffer.byteLength(text)}`,
  'Connection: close',
  '',
  text,
].join('\r\n')

/** Time for a client to read the response before the connection is reset. */
const lingerMs = 2_000

/** Answers plain HTTP on the TLS port unencrypted, on the connection below the failed handshake. */
export function answerPlainHttp(error: Error & { code?: string }, secure: TLSSocket & { _parent?: Socket }): void {
  const socket = secure._parent
  if (error.code !== 'ERR_SSL_HTTP_REQUEST' || !socket?.writable) return
  const reset = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(reset)).on('error', () => {})
  socket.resume().end(answer)
}
