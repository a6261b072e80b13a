import { mkdtempSync, rmSync } from 'node:fs'
import type { Server as HttpsServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closeServer, listenTcp } from '../../src/server/listen.ts'
import { ownCertificate } from '../../src/server/tls.ts'
import { hasty, Preserialized, statusesIn, Target } from './raw.ts'

const target = new Target(hasty)
const host = 'Host: localhost\r\n'

/** Sends a byte at intervals until the other side closes. */
async function drip(raw: Preserialized, bytes: Iterable<string>): Promise<void> {
  for (const byte of bytes) {
    if (raw.closed) return
    raw.write(byte)
    await raw.quiet()
  }
}

function* forever(text: string): Iterable<string> {
  for (let sent = 0; sent < 1000; sent++) yield text
}

/** Another client is served in between. */
async function servesOthers(): Promise<void> {
  const { statuses } = await target.send(`GET /healthz HTTP/1.1\r\n${host}\r\n`)
  expect(statuses).toEqual([200])
}

describe('timeouts of a connection', () => {
  test('ends a head that drips', async () => {
    const raw = target.open()
    raw.write(`GET /healthz HTTP/1.1\r\n${host}`)
    const dripping = drip(raw, forever('X-A: b\r\n'))
    await servesOthers()
    await dripping
    expect([raw.closed, statusesIn(raw.text)]).toEqual([true, [408]])
  })
  test('ends a body that drips, declared or chunked, without effect', async () => {
    const heads = ['Content-Length: 10000\r\n', 'Transfer-Encoding: chunked\r\n']
    const before = target.panel.store.sqlite.prepare('SELECT count(*) FROM sign_in_attempts').pluck().get()
    for (const [place, head] of heads.entries()) {
      const raw = target.open()
      raw.write(`POST /api/v1/auth/login HTTP/1.1\r\n${host}Content-Type: application/json\r\n${head}\r\n`)
      const dripping = drip(raw, forever(place === 0 ? ' ' : '1\r\n \r\n'))
      await servesOthers()
      await dripping
      expect([raw.closed, statusesIn(raw.text)]).toEqual([true, [408]])
    }
    expect(target.panel.store.sqlite.prepare('SELECT count(*) FROM sign_in_attempts').pluck().get()).toBe(before)
  })
  test('ends a connection that says nothing', async () => {
    const raw = target.open()
    await servesOthers()
    await raw.ended()
    expect(raw.closed).toBe(true)
  })
  test('ends a connection that says nothing after its response', async () => {
    const raw = target.open()
    raw.write(`GET /healthz HTTP/1.1\r\n${host}\r\n`)
    await raw.until((text) => text.includes('ok'))
    await servesOthers()
    await raw.ended()
    expect(statusesIn(raw.text)).toEqual([200])
  })
  test('ends a half-closed connection that waits', async () => {
    const raw = target.open()
    raw.socket.end(`POST /api/v1/auth/login HTTP/1.1\r\n${host}Content-Length: 10\r\n\r\n`)
    await raw.ended()
    expect(raw.closed).toBe(true)
  })
  test('ends a client that sends requests and does not read the responses', async () => {
    // It is built once, which takes longer than the timeouts of this test.
    await target.panel.get('/openapi.json')
    const raw = target.open()
    raw.socket.pause()
    const bytes = `GET /api/v1/openapi.json HTTP/1.1\r\n${host}\r\n`.repeat(200)
    raw.write(bytes)
    await servesOthers()
    const open = () => new Promise<number>((resolve) => target.server.getConnections((_, count) => resolve(count)))
    for (let looked = 0; looked < 200 && (await open()) > 0; looked++) await raw.quiet()
    expect(await open()).toBe(0)
    raw.destroy()
  })
})

describe('endless body', () => {
  test.each(['POST /api/v1/auth/login', 'POST /api/v1/accounts', 'POST /api/v1/nothing', 'GET /healthz'])(
    'answers an endless body to %s, and closes the connection before much of it was read',
    async (line) => {
      const raw = target.open()
      raw.write(`${line} HTTP/1.1\r\n${host}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`)
      const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`
      let sent = 0
      while (!raw.closed && sent < 2000) {
        raw.write(chunk)
        sent++
        await raw.drained()
        if (sent % 50 === 0) await raw.quiet()
      }
      await raw.ended()
      const [status] = statusesIn(raw.text)
      expect(status).toBe({ login: 413, accounts: 401, nothing: 404, healthz: 200 }[line.split('/').at(-1)!])
      expect(sent).toBeLessThan(2000)
    },
  )
})

test.each(['POST /api/v1/auth/login', 'POST /api/v1/accounts', 'POST /api/v1/nothing', 'GET /healthz'])(
  'a large body to %s, without credentials, is answered and not fully read',
  async (line) => {
    const raw = target.open()
    const bytes = ' '.repeat(1024 * 1024)
    raw.write(`${line} HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: ${bytes.length}\r\n\r\n`)
    raw.write(bytes)
    await raw.until((text) => statusesIn(text).length > 0)
    raw.write(`GET /healthz HTTP/1.1\r\n${host}\r\n`)
    await raw.ended()
    expect(statusesIn(raw.text)).toEqual([
      { login: 413, accounts: 401, nothing: 404, healthz: 200 }[line.split('/').at(-1)!],
    ])
    expect(raw.text).toMatch(/^connection: close\r$/im)
    await servesOthers()
  },
)

describe('connections over TLS', () => {
  let server: HttpsServer
  let port: number
  const dir = mkdtempSync(join(tmpdir(), 'panel-tls-'))
  beforeAll(async () => {
    const pair = await ownCertificate(join(dir, 'tls'), 'localhost', Date.now())
    server = (await listenTcp(target.panel.panel.app, { host: '127.0.0.1', port: 0 }, pair, hasty)) as HttpsServer
    port = (server.address() as AddressInfo).port
  })
  afterAll(async () => {
    await closeServer(server, 0)
    rmSync(dir, { recursive: true })
  })

  const handshake = (options: object = {}): Promise<TLSSocket> =>
    new Promise((resolve, reject) => {
      const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options }, () =>
        resolve(socket),
      )
      socket.once('error', reject)
    })

  test('a handshake that stalls is closed', async () => {
    const raw = new Preserialized(connect(port, '127.0.0.1'))
    raw.write(Buffer.from('16030100c8010000c40303', 'hex'))
    await raw.ended()
    expect(raw.closed).toBe(true)
  })
  test('renegotiation is refused, and others are served', async () => {
    const socket = await handshake({ maxVersion: 'TLSv1.2' })
    const ended = new Promise((resolve) => socket.once('close', resolve))
    const error = await new Promise<Error | null>((resolve) => {
      socket.once('error', resolve)
      socket.renegotiate({}, resolve)
    })
    expect(error?.message).toMatch(/no.renegotiation|NO_RENEGOTIATION/i)
    socket.destroy()
    await ended
    const next = await handshake()
    next.write(`GET /healthz HTTP/1.1\r\n${host}\r\n`)
    const [answer] = (await next.take(1).toArray()) as Buffer[]
    expect(answer?.toString()).toMatch(/^HTTP\/1\.1 200 /)
    next.destroy()
  })
  test.each(['TLSv1', 'TLSv1.1'])('does not support %s', async (version) => {
    const ciphers = 'DEFAULT@SECLEVEL=0'
    await expect(handshake({ minVersion: version, maxVersion: version, ciphers })).rejects.toThrow(/alert|version/i)
  })
  test('plain HTTP is closed', async () => {
    const raw = new Preserialized(connect(port, '127.0.0.1'))
    raw.write(`GET /healthz HTTP/1.1\r\n${host}\r\n`)
    await raw.ended()
    expect(statusesIn(raw.text)).not.toContain(200)
  })
})

test('none of this caused an internal error', () => {
  expect(target.panel.logged.filter((line) => /^error/.test(line))).toEqual([])
})
