import { constants } from 'node:crypto'
import { rmSync } from 'node:fs'
import { createServer as createHttp, type RequestListener, type Server } from 'node:http'

import { createServer as createHttps, type Server as HttpsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import { socketPathLimit, socketPathTooLong } from '../shared/directory.ts'
import {
  limitByAddress,
  maxConnections,
  namesTwoHosts,
  noteOpening,
  refuseAddress,
  refuseHead,
  refuseMalformed,
} from './connections.ts'
import { leaveUnread } from './discard-body.ts'
import type { Environment } from './environment.ts'
import type { KeyPair } from './tls.ts'

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
function answerPlainHttp(error: Error & { code?: string }, secure: TLSSocket & { _parent?: Socket }): void {
  const socket = secure._parent
  if (error.code !== 'ERR_SSL_HTTP_REQUEST' || !socket?.writable) return
  const reset = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(reset)).on('error', () => {})
  socket.resume().end(answer)
}

type Where = { readonly host: string; readonly port: number }

const sentences: Readonly<Record<string, (where: Where) => string>> = {
  EADDRINUSE: ({ host, port }) =>
    `Port ${port} on ${host} is in use. Stop the program that listens there, or choose another port with --port.`,
  EACCES: ({ port }) =>
    `Port ${port} is reserved for root. Start with sudo, or choose a port from 1024 up with --port.`,
  EADDRNOTAVAIL: ({ host }) => `${host} is not an address of this machine. Choose one of its addresses with --host.`,
  ENOTFOUND: ({ host }) => `The name ${host} has no address. Choose an address of this machine with --host.`,
}

/** Why a server cannot listen, and what to type. */
function listenError(error: unknown, where: Where): unknown {
  const sentence = sentences[(error as NodeJS.ErrnoException).code ?? '']
  return sentence ? new Error(sentence(where), { cause: error }) : error
}

type App = Hono<{ Bindings: Environment }>

/** Client timeouts, in milliseconds. */
export interface Timeouts {
  /** From the start of a request to the end of its head, and of its body. */
  readonly headersTimeout: number
  readonly requestTimeout: number
  /** Until the next request on a connection. */
  readonly keepAliveTimeout: number
  /** Without a byte in either direction, such as an unread response. */
  readonly silence: number
  readonly handshakeTimeout: number
  readonly connectionsCheckingInterval: number
}

const timeouts: Timeouts = {
  headersTimeout: 20_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 65_000,
  silence: 120_000,
  handshakeTimeout: 10_000,
  connectionsCheckingInterval: 5_000,
}

const maxHeaderSize = 16 * 1024

/** TLS 1.2 or later, without renegotiation, which costs the server far more than the client. */
export const secured = { minVersion: 'TLSv1.2', secureOptions: constants.SSL_OP_NO_RENEGOTIATION } as const

type ListenerOptions = Pick<Environment, 'local' | 'front'>

function listener(app: App, options: ListenerOptions = {}): RequestListener {
  const handle = getRequestListener((request, env) => app.fetch(request, Object.assign(env as Environment, options)), {
    overrideGlobalObjects: true,
    hostname: 'localhost',
    errorHandler: refuseAddress,
  })
  return inTurn((incoming, outgoing) => {
    if (incoming.method === 'GET' || incoming.method === 'HEAD') leaveUnread({ incoming, outgoing })
    if (namesTwoHosts(incoming)) refuseHead(outgoing)
    else void handle(incoming, outgoing)
  })
}

/** Pipelined requests run one at a time, so that their responses need no buffering. */
const inTurn =
  (handle: RequestListener): RequestListener =>
  (incoming, outgoing) =>
    void (outgoing.socket ? handle(incoming, outgoing) : outgoing.once('socket', () => handle(incoming, outgoing)))

/** HTTPS, or plain HTTP without a certificate. */
export async function listenTcp(
  app: App,
  where: { host: string; port: number },
  pair: KeyPair | undefined,
  times: Timeouts = timeouts,
  isProxy: (address: string) => boolean = () => false,
): Promise<HttpsServer | Server> {
  const options = { ...times, maxHeaderSize }
  const server = pair
    ? createHttps({ ...options, ...secured, cert: pair.cert, key: pair.key }, listener(app))
    : createHttp(options, listener(app))
  guard(server, times)
  limitByAddress(server, isProxy)
  const max = maxConnections()
  if (max !== undefined) server.maxConnections = max
  await listening(server, () => server.listen(where.port, where.host)).catch((error: unknown) => {
    throw listenError(error, where)
  })
  return server
}

/** The local socket, mode 0600. A process that can open it acts as root. */
export function listenLocal(app: App, path: string): Promise<Server> {
  if (socketPathTooLong(path)) {
    throw new Error(
      `The path of the local socket has ${Buffer.byteLength(path)} bytes, more than ${socketPathLimit}: ${path}. Choose a shorter --data-dir.`,
    )
  }
  return listenAt(path, 0o600, listener(app, { local: true }))
}

/** nginx's socket: nginx names the caller, and requests need credentials. The directory sets its group. */
export function listenFront(app: App, path: string): Promise<Server> {
  if (socketPathTooLong(path)) throw new Error(`--front-socket has more than ${socketPathLimit} bytes: ${path}.`)
  return listenAt(path, 0o660, listener(app, { front: true }))
}

async function listenAt(path: string, mode: number, listen: RequestListener): Promise<Server> {
  rmSync(path, { force: true })
  const server = createHttp({ ...timeouts, maxHeaderSize }, listen)
  guard(server, timeouts)
  const mask = process.umask(0o777 & ~mode)
  try {
    await listening(server, () => server.listen(path))
  } finally {
    process.umask(mask)
  }
  return server
}

function guard(server: Server | HttpsServer, { silence }: Timeouts): void {
  server.setTimeout(silence)
  server.on('connection', noteOpening).on('secureConnection', noteOpening)
  server.on('clientError', refuseMalformed)
  server.on('tlsClientError', answerPlainHttp)
  // The head's size is limited already; with a count limit, headers beyond it would go unseen.
  server.maxHeadersCount = 0
}

function listening(server: Server | HttpsServer, begin: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.once('listening', () => {
      server.off('error', reject)
      resolve()
    })
    begin()
  })
}

/** Stops accepting requests, lets those in flight finish, and closes the rest after so many milliseconds. */
export async function closeServer(server: Server | HttpsServer, ms: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  const cut = setTimeout(() => server.closeAllConnections(), ms)
  await closed
  clearTimeout(cut)
}
