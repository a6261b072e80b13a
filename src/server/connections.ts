import { readFileSync } from 'node:fs'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ulid } from 'ulid'
import type { Metrics } from '../runtime/metrics/registry.ts'
import { canonicalAddress, networkOf } from '../runtime/operations/address.ts'
import { isLoopback } from '../shared/loopback.ts'
import { securityHeaders } from './headers.ts'

/** File descriptors for the server itself: the store, running jobs, deliveries. */
const ownFiles = 512

/** Maximum concurrent connections that still leaves descriptors for files; undefined if the limit is unknown. */
export function maxConnections(): number | undefined {
  const files = openFiles()
  return files && files - Math.min(ownFiles, Math.floor(files / 2))
}

const openings = new WeakMap<object, number>()

/** Remembers when a connection was opened. */
export const noteOpening = (socket: object): void => void openings.set(socket, Date.now())

export const openedAt = (socket: object): number | undefined => openings.get(socket)

/** Open connections of one address (for IPv6, one /64), and of a trusted proxy or this machine, which stand for many. */
const MAX_PER_ADDRESS = 512
const MAX_PER_PROXY = 16_384

/** Closes new connections of an address that has too many, before they cost a handshake. */
export function limitByAddress(server: Server, isProxy: (address: string) => boolean): void {
  const open = new Map<string, number>()
  const share = Math.floor((maxConnections() ?? Number.POSITIVE_INFINITY) / 4)
  server.on('connection', (socket) => {
    const address = canonicalAddress(socket.remoteAddress ?? '')
    const isTrusted = isLoopback(address) || isProxy(address)
    const limit = isTrusted ? Math.min(MAX_PER_PROXY, 3 * share) : Math.min(MAX_PER_ADDRESS, share)
    const network = networkOf(address)
    const count = (open.get(network) ?? 0) + 1
    if (count > limit) return drop(server, socket)
    open.set(network, count)
    socket.once('close', () => leave(open, network))
  })
}

function drop(server: Server, socket: Socket): void {
  socket.destroy()
  server.emit('drop')
}

function leave(open: Map<string, number>, network: string): void {
  const left = open.get(network)! - 1
  if (left > 0) open.set(network, left)
  else open.delete(network)
}

function openFiles(): number | undefined {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return soft === undefined ? undefined : Number(soft)
  } catch {
    return undefined
  }
}

/** Counts accepted and refused connections by listener. */
export function measureConnections(metrics: Metrics, listeners: Readonly<Record<string, Server>>): void {
  const open = Object.entries(listeners).map(([listener, server]) => ({ labels: { listener }, count: counter(server) }))
  const samples = () => open.map(({ labels, count }) => ({ labels, value: count() }))
  metrics.add({ name: 'panel_connections', help: 'Open connections.', type: 'gauge', samples })
  const dropped = metrics.counter('panel_connections_dropped_total', 'Connections refused.', 'listener')
  for (const [listener, server] of Object.entries(listeners)) server.on('drop', () => dropped.inc(listener))
}

function counter(server: Server): () => number {
  let open = 0
  server.on('connection', (socket) => {
    open++
    socket.once('close', () => open--)
  })
  return () => open
}

const answers: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'Content Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
}

/** Connections with a body of unbounded size: limited by its rate instead of a total time. */
const long = new WeakSet<Duplex>()

export const lastsLong = ({ socket }: IncomingMessage): void => void long.add(socket)

type Answering = Duplex & { _httpMessage?: ServerResponse & { req: IncomingMessage } }

/**
 * Answers malformed HTTP once and closes the connection, since it is unclear where the next request starts. A complete
 * request before it is answered first.
 */
export function refuseMalformed(error: Error & { code?: string }, socket: Answering): void {
  const answer = socket._httpMessage
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && long.has(socket) && answer && !answer.req.complete) return
  if (!socket.writable || !isOfHttp(error)) return void socket.destroy()
  if (answer?.req.complete) return endAfter(answer, socket)
  // In the middle of a response it would be read as part of it.
  if (answer?.headersSent) return void socket.destroy()
  const [status, title] = answers[error.code ?? ''] ?? [400, 'Bad Request']
  const body = aboutNothing(title, status)
  const headers = { Connection: 'close', ...problemHeaders(), 'Content-Length': body.length }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${title}\r\n${lines.join('')}\r\n${body}`, () => socket.destroy())
}

/** Other errors, such as in a TLS handshake, happen below HTTP: no response could be sent. */
const isOfHttp = ({ code = '' }: { code?: string }): boolean => code.startsWith('HPE_') || code in answers

function endAfter(answer: ServerResponse, socket: Duplex): void {
  if (!answer.shouldKeepAlive) return
  answer.shouldKeepAlive = false
  answer.once('close', () => socket.destroy())
}

/** Whether a request has two Host headers: a proxy may have routed by the other one. */
export function namesTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0
  for (let place = 0; place < rawHeaders.length; place += 2) {
    const name = rawHeaders[place]!
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1
}

/** Refuses a complete request with a contradictory head, and closes its connection. */
export function refuseHead(outgoing: ServerResponse): void {
  const body = aboutNothing('Bad Request', 400)
  outgoing.writeHead(400, { ...problemHeaders(), Connection: 'close', 'Content-Length': body.length }).end(body)
}

/** Answers well-formed HTTP whose host is invalid. */
export function refuseAddress(error: unknown): Response {
  const status = error instanceof Error && error.name === 'RequestError' ? 400 : 500
  const title = status === 400 ? 'Bad Request' : 'Internal Server Error'
  return new Response(aboutNothing(title, status), { status, headers: problemHeaders() })
}

const aboutNothing = (title: string, status: number): string => JSON.stringify({ type: 'about:blank', title, status })

const problemHeaders = (): Record<string, string> => ({
  ...securityHeaders,
  'X-Request-Id': ulid(),
  'Content-Type': 'application/problem+json',
})
