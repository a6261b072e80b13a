import { rmSync } from 'node:fs'
import type { Server } from 'node:http'
import { createServer as createHttp } from 'node:http'
import { createServer as createHttps, type Server as HttpsServer } from 'node:https'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import { socketPathLimit, socketPathTooLong } from '../shared/directory.ts'
import type { Environment } from './environment.ts'
import type { KeyPair } from './tls.ts'

type App = Hono<{ Bindings: Environment }>

const limits = { requestTimeout: 60_000, headersTimeout: 20_000, keepAliveTimeout: 65_000, maxHeaderSize: 16 * 1024 }

const listener = (app: App, local: boolean) =>
  getRequestListener((request, env) => app.fetch(request, { ...(env as Environment), local }), {
    overrideGlobalObjects: true,
  })

/** HTTPS, or plain HTTP where no certificate is given. */
export async function listenTcp(
  app: App,
  where: { host: string; port: number },
  pair: KeyPair | undefined,
): Promise<HttpsServer | Server> {
  const server = pair
    ? createHttps(
        { ...limits, cert: pair.cert, key: pair.key, minVersion: 'TLSv1.2', handshakeTimeout: 10_000 },
        listener(app, false),
      )
    : createHttp(limits, listener(app, false))
  await listening(server, () => server.listen(where.port, where.host))
  return server
}

/** The local socket, mode 0600: whoever can open it is root. */
export async function listenLocal(app: App, path: string): Promise<Server> {
  if (socketPathTooLong(path)) {
    throw new Error(
      `The path of the local socket has ${Buffer.byteLength(path)} bytes, more than ${socketPathLimit}: ${path}. Choose a shorter --data-dir.`,
    )
  }
  rmSync(path, { force: true })
  const server = createHttp(limits, listener(app, true))
  const mask = process.umask(0o177)
  try {
    await listening(server, () => server.listen(path))
  } finally {
    process.umask(mask)
  }
  return server
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

/** Takes no new requests, lets those under way end, and cuts off what is left after so many milliseconds. */
export async function closeServer(server: Server | HttpsServer, ms: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  const cut = setTimeout(() => server.closeAllConnections(), ms)
  await closed
  clearTimeout(cut)
}
