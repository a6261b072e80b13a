import { execFileSync } from 'node:child_process'
import { createPublicKey, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { connect as connectPlain } from 'node:net'
import { join } from 'node:path'
import { checkServerIdentity, connect, type PeerCertificate, type SecureVersion, type TLSSocket } from 'node:tls'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { soon } from '../wait-for.ts'
import { begin, place, type ServerProcess, startServer } from './server.ts'

const mode = (path: string): number => statSync(path).mode & 0o777
const certificate = (dir: string): string => readFileSync(join(dir, 'tls/cert.pem'), 'utf8')

/** A TLS connection that trusts only the server's own certificate. */
async function secure(server: ServerProcess, version: Record<string, SecureVersion> = {}): Promise<TLSSocket> {
  const ca = certificate(server.dir)
  const ciphers = 'DEFAULT:@SECLEVEL=0'
  const socket = connect({ host: '127.0.0.1', port: server.port, ca, servername: 'localhost', ciphers, ...version })
  onTestFinished(() => void socket.destroy())
  await once(socket, 'secureConnect')
  return socket
}

/** Why a server does not start. */
async function refusal(dir: string, options: Parameters<typeof begin>[1]): Promise<string> {
  const server = await begin(dir, options)
  expect(await server.exit).toBe(1)
  expect(server.out).toBe('')
  return server.err.trim()
}

describe('server', () => {
  test('starts healthy, keeps its files private, and refuses to start twice', async () => {
    const dir = place()
    const server = await startServer(dir)
    expect(mode(dir)).toBe(0o700)
    expect(mode(join(dir, 'panel.sock'))).toBe(0o600)
    for (const name of ['panel.db', 'panel.db-wal', 'panel.db-shm', 'panel.lock', 'secret.key'])
      expect(mode(join(dir, name)), name).toBe(0o600)
    expect(mode(join(dir, 'tls/key.pem'))).toBe(0o600)
    expect(mode(join(dir, 'tls'))).toBe(0o700)
    expect(await refusal(dir, {})).toBe('Another panel server is running on this data directory.')
    const health = await server.send('GET', '/healthz')
    expect([health.status, health.body]).toEqual([200, { status: 'ok' }])
    expect((await server.send('GET', '/accounts')).status).toBe(200)
  })
  test('restricts a store that was open to others', async () => {
    const dir = place()
    expect(await (await startServer(dir)).kill('SIGTERM')).toBe(0)
    for (const name of ['panel.db', 'panel.lock']) chmodSync(join(dir, name), 0o644)
    await startServer(dir)
    for (const name of ['panel.db', 'panel.db-wal', 'panel.db-shm', 'panel.lock'])
      expect(mode(join(dir, name)), name).toBe(0o600)
  })
  test('restricts a directory that was created for it with mkdir', async () => {
    const dir = join(place(), 'made')
    mkdirSync(dir, { mode: 0o755 })
    await startServer(dir)
    expect(mode(dir)).toBe(0o700)
  })
  test('creates its directory, and refuses one that others can write', async () => {
    const dir = join(place(), 'new/deep')
    const server = await startServer(dir)
    expect(mode(dir)).toBe(0o700)
    expect(await server.kill('SIGTERM')).toBe(0)
    chmodSync(dir, 0o755)
    expect(await refusal(dir, {})).toContain(`chmod 700 ${dir}`)
  })
  test('creates no new secret.key if the lost one sealed something', async () => {
    const dir = place()
    const key = join(dir, 'secret.key')
    const first = await startServer(dir)
    expect(await first.kill('SIGTERM')).toBe(0)
    rmSync(key)
    const second = await startServer(dir)
    await second.send('POST', '/webhooks', { url: 'https://hooks.example/a' })
    expect(await second.kill('SIGTERM')).toBe(0)
    const saved = readFileSync(key)
    rmSync(key)
    const reason = await refusal(dir, {})
    expect(reason).toContain(`${key} is missing, and only it can decrypt 1 values in the store`)
    expect(reason).toContain(`(umask 077; head -c 32 /dev/urandom > ${key})`)
    expect(existsSync(key)).toBe(false)
    writeFileSync(key, saved, { mode: 0o600 })
    expect(await (await startServer(dir)).kill('SIGTERM')).toBe(0)
    execFileSync('sh', ['-c', reason.slice(reason.indexOf('(umask'))])
    expect(mode(key)).toBe(0o600)
    await startServer(dir)
  })
  test('says in one sentence why it cannot start', async () => {
    expect(await refusal(place(), { noTls: true, host: '0.0.0.0' })).toContain('--no-tls needs a loopback --host')
    expect(await refusal(place(), { hostname: 'my_server' })).toContain('my_server is not a host name')
    expect(await refusal(place(), { trustProxy: ['nowhere'] })).toContain('neither an address nor a CIDR range')
    const long = join(place(), 'x'.repeat(100))
    mkdirSync(long, { mode: 0o700 })
    expect(await refusal(long, {})).toMatch(
      /^The path of the local socket has \d+ bytes, more than 107: .*--data-dir\.$/,
    )
  })
  test('refuses requests on its socket that come through a proxy', async () => {
    const server = await startServer(place())
    for (const name of ['Forwarded', 'X-Forwarded-For', 'X-Forwarded-Anything', 'Via']) {
      const { status, body } = await server.send('GET', '/accounts', undefined, { headers: { [name]: 'x' } })
      expect([status, Object.keys(body.fields)], name).toEqual([400, [name.toLowerCase()]])
    }
  })
  test('counts a chunked body, and refuses it when it is too large', async () => {
    const server = await startServer(place())
    const chunk = Buffer.alloc(64 * 1024, 0x20)
    const socket = connectPlain(server.socketPath)
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => {})
    let answer = ''
    socket.setEncoding('utf8').on('data', (text) => {
      answer += text
    })
    const head =
      'POST /api/v1/packages HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
    socket.write(head)
    for (let sent = 0; sent < 20 && answer === ''; sent++) socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`)
    await soon(() => expect(answer).toContain('too-large'))
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
    for (let sent = 0; sent < 100; sent++) socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`)
    socket.write('0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
    await soon(() => expect(answer).toContain('{"status":"ok"}'))
    const small = await server.send(
      'POST',
      '/packages',
      { name: 'small' },
      { headers: { 'Transfer-Encoding': 'chunked' } },
    )
    expect(small.status).toBe(201)
  })
})

test('an invalid request is answered with a request id and the usual headers', async () => {
  const server = await startServer(place())
  const say = (text: string): Promise<string> =>
    new Promise((resolve) => {
      const socket = connectPlain(server.socketPath, () => void socket.write(text))
      let answer = ''
      socket.setEncoding('utf8').on('data', (part) => {
        answer += part
      })
      socket.on('close', () => resolve(answer))
    })
  for (const wrong of ['BREW / HTTP/1.1\r\n\r\n', 'GET /healthz HTTP/1.1\r\nConnection: close\r\nHost: a b\r\n\r\n']) {
    const answer = await say(wrong)
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toMatch(/\r\nx-request-id: [0-9A-Z]{26}\r\n/i)
    expect(answer).toMatch(/\r\nx-content-type-options: nosniff\r\n/i)
    expect(answer).toMatch(/\r\ncontent-type: application\/problem\+json\r\n/i)
  }
  expect(await say('GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /)
})

describe('certificate of the server', () => {
  const fits = (pem: string) => {
    const { subjectAltName } = new X509Certificate(pem)
    return (name: string) =>
      checkServerIdentity(name, { subjectaltname: subjectAltName } as PeerCertificate) === undefined
  }
  test('matches its name and loopback, is kept, and is replaced with the same key for another name', async () => {
    const dir = place()
    const server = await startServer(dir, { hostname: 'Panel.Example.com' })
    const first = certificate(dir)
    for (const name of ['panel.example.com', 'localhost', '127.0.0.1', '::1'])
      expect(fits(first)(name), name).toBe(true)
    expect(fits(first)('other.example.com')).toBe(false)
    const visible = await secure(server)
    expect(visible.getPeerCertificate().fingerprint256).toBe(new X509Certificate(first).fingerprint256)
    visible.destroy()
    await server.kill('SIGTERM')
    await (await startServer(dir, { hostname: 'panel.example.com' })).kill('SIGTERM')
    expect(certificate(dir)).toBe(first)
    await (await startServer(dir, { hostname: '192.0.2.1' })).kill('SIGTERM')
    const second = certificate(dir)
    expect([fits(second)('192.0.2.1'), fits(second)('panel.example.com')]).toEqual([true, false])
    const key = (pem: string) => createPublicKey(pem).export({ type: 'spki', format: 'pem' })
    expect(key(second)).toBe(key(first))
  })
  test('uses TLS 1.2 and later, and answers nothing in plain text', async () => {
    const server = await startServer(place())
    expect((await secure(server, { minVersion: 'TLSv1.3' })).getProtocol()).toBe('TLSv1.3')
    expect((await secure(server, { maxVersion: 'TLSv1.2' })).getProtocol()).toBe('TLSv1.2')
    await expect(secure(server, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1' })).rejects.toThrow()
    const plain = connectPlain(server.port, '127.0.0.1')
    plain.on('error', () => {})
    plain.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
    let text = ''
    plain.on('data', (part) => {
      text += part
    })
    await once(plain, 'close')
    expect(text).not.toContain('HTTP/1.1 200')
  })
  test("serves the API to anyone with a token, at the server's address", async () => {
    const dir = place()
    const server = await startServer(dir, { hostname: 'localhost' })
    const { secret } = (
      await server.send('POST', '/tokens', { name: 'x', scopes: ['full-access'], allowed_ips: ['127.0.0.1'] })
    ).body
    const ask = async (headers: Record<string, string>) => {
      const call = request({
        host: 'localhost',
        family: 4,
        port: server.port,
        path: '/api/v1/accounts',
        ca: certificate(dir),
        headers,
      })
      const [reply] = await once(call.end(), 'response')
      let text = ''
      for await (const part of reply) text += part
      return { status: reply.statusCode, headers: reply.headers, body: JSON.parse(text) }
    }
    expect((await ask({ Authorization: `Bearer ${secret}` })).body).toEqual({ items: [], total: 0 })
    const nobody = await ask({})
    expect([nobody.status, nobody.headers['www-authenticate'], nobody.body.type]).toEqual([
      401,
      'Bearer',
      `https://localhost:${server.port}/problems/unauthenticated`,
    ])
    expect(nobody.headers['strict-transport-security']).toBe('max-age=31536000')
  })
})

describe('SIGTERM', () => {
  test('stops a server whatever is running: a long poll is answered, a partial request is cut off', async () => {
    const dir = place()
    const server = await startServer(dir)
    const { secret } = (await server.send('POST', '/tokens', { name: 'x', scopes: ['full-access'] })).body
    const use = { headers: { Authorization: `Bearer ${secret}` } }
    expect((await server.send('GET', '/token', undefined, use)).status).toBe(200)
    const half = connectPlain(server.socketPath)
    half.on('error', () => {})
    half.write(
      'POST /api/v1/packages HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    )
    const poll = server.send('GET', '/events?wait=30&after=0&type=package.deleted')
    await server.send('GET', '/healthz')
    expect(await server.kill('SIGTERM')).toBe(0)
    expect((await poll).body.items).toEqual([])
    const store = new Database(join(dir, 'panel.db'), { readonly: true })
    onTestFinished(() => void store.close())
    expect(store.prepare('SELECT count(*) FROM tokens WHERE last_used_at IS NOT NULL').pluck().get()).toBe(1)
  })
  test('requeues running jobs without using an attempt, and the next server completes them', async () => {
    const dir = place()
    const server = await startServer(dir)
    const creates = Array.from({ length: 40 }, (_, n) => ({ username: `user${n}`, domain: `user${n}.example` }))
    const made = await Promise.all(creates.map((body) => server.send('POST', '/accounts', body)))
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set([202]))
    expect(await server.kill('SIGTERM')).toBe(0)
    const store = new Database(join(dir, 'panel.db'), { readonly: true })
    const left = store.prepare('SELECT DISTINCT status, attempts FROM jobs ORDER BY status').all() as object[]
    store.close()
    for (const row of left)
      expect([
        { status: 'queued', attempts: 0 },
        { status: 'succeeded', attempts: 1 },
      ]).toContainEqual(row)
    const next = await startServer(dir)
    await soon(async () => expect((await next.send('GET', '/jobs?status=succeeded')).body.total).toBe(creates.length))
  })
})

test('the log is JSON, names each request, and contains no secret', async () => {
  const dir = place()
  const server = await startServer(dir)
  const password = 'canary-in-the-mine'
  const made = await server.send('POST', '/accounts', { username: 'alice', domain: 'alice.example', password })
  const { secret } = (await server.send('POST', '/tokens', { name: 'x', scopes: ['full-access'] })).body
  const headers = { Authorization: `Bearer ${secret}` }
  const requests = await server.send('GET', '/accounts?q=alice', undefined, { headers })
  await server.send('GET', '/token', undefined, { headers: { Authorization: `Bearer ${secret.slice(0, -1)}x` } })
  expect(await server.kill('SIGTERM')).toBe(0)
  const lines = server.err
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const named = lines.map((line) => line.request_id)
  expect(named).toEqual(expect.arrayContaining([made.headers['x-request-id'], requests.headers['x-request-id']]))
  for (const canary of [password, secret, secret.slice(4, -6)]) expect(server.err + server.out).not.toContain(canary)
})
