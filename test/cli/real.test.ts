import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateSync } from 'otplib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { place, type ServerProcess, startServer } from '../serve/server.ts'
import { ended, ensureBuilt, inProcess, start } from './run.ts'

const password = 'correct horse battery'
const home = mkdtempSync(join(tmpdir(), 'panel-real-'))
const passwordFile = join(home, 'password')
beforeAll(() => {
  ensureBuilt()
  writeFileSync(passwordFile, password)
})
afterAll(() => rmSync(home, { recursive: true }))

let config = ''
const run = (line: string) => inProcess(line.split(' '), { XDG_CONFIG_HOME: config })

/** A server whose root has a password, with nobody signed in yet. */
async function served(
  dir = place(),
  hostname = 'localhost',
  port = 0,
): Promise<{ server: ServerProcess; url: string }> {
  config = mkdtempSync(join(home, 'config-'))
  const server = await startServer(dir, { hostname, port, logLevel: 'silent' })
  expect((await server.send('PUT', '/root/password', { new_password: password })).status).toBe(204)
  return { server, url: `https://127.0.0.1:${server.port}` }
}

const fingerprintOf = (server: ServerProcess): string =>
  `sha256:${new X509Certificate(readFileSync(join(server.dir, 'tls/cert.pem'))).fingerprint256}`

const logIn = (server: ServerProcess, url: string, more = '') =>
  run(`login ${url} --context here --password-file ${passwordFile} --fingerprint ${fingerprintOf(server)}${more}`)

describe('running server', { timeout: 60_000 }, () => {
  test('signs in, uses and signs out of a running server', async () => {
    const { server, url } = await served()
    expect((await logIn(server, url)).code).toBe(0)
    expect((await run('accounts create alice --domain alice.example -q')).code).toBe(0)
    expect((await run('accounts list -o name')).stdout).toBe('alice\n')
    expect(JSON.parse((await run('whoami -o json')).stdout)).toMatchObject({ user: 'root', kind: 'root' })
    const before = JSON.parse(readFileSync(join(config, 'panel/contexts.json'), 'utf8')).contexts.here.session
    expect((await run('logout')).code).toBe(0)
    const cookie = `panel_admin=${before.cookie}`
    const { body } = await server.send('GET', '/auth/session', undefined, { headers: { cookie } })
    expect(body.authenticated).toBe(false)
    expect((await run('accounts list --context here')).code).toBe(2)
  })

  test('signs accounts in to their panel, and tokens too', async () => {
    const { server, url } = await served()
    await logIn(server, url)
    const account = `accounts create alice --domain alice.example --password-file ${passwordFile} -q`
    expect((await run(account)).code).toBe(0)
    const made = await run('tokens create ci --account alice --scopes events:read -o json')
    const user = ' --panel user --username alice'
    const line = `login ${url} --context alice --password-file ${passwordFile} --fingerprint ${fingerprintOf(server)}${user}`
    expect((await run(line)).code).toBe(0)
    expect(JSON.parse((await run('whoami -o json')).stdout)).toMatchObject({ user: 'alice', kind: 'customer' })
    writeFileSync(join(home, 'token'), JSON.parse(made.stdout).secret)
    const byToken = `login ${url} --context token --token-file ${join(home, 'token')} --fingerprint ${fingerprintOf(server)}`
    expect((await run(byToken)).code).toBe(0)
    expect((await run('events tail --account alice --after 0 --limit 1 -o jsonl')).stdout).toContain('account.created')
  })

  test('shows another certificate with the same key after it is renamed', async () => {
    const { server, url } = await served()
    await logIn(server, url)
    const before = fingerprintOf(server)
    await server.kill('SIGTERM')
    const again = await startServer(server.dir, { hostname: 'renamed.example', port: server.port, logLevel: 'silent' })
    expect(fingerprintOf(again)).not.toBe(before)
    expect((await run('whoami')).code).toBe(0)
    await again.kill('SIGTERM')
    rmSync(join(server.dir, 'tls'), { recursive: true })
    await startServer(server.dir, { hostname: 'localhost', port: server.port, logLevel: 'silent' })
    const { code, stderr } = await run('whoami')
    expect(code).toBe(7)
    expect(stderr).toContain('another key')
  })

  test('requires a code if the second factor is on', async () => {
    const { server, url } = await served()
    await logIn(server, url)
    const { secret } = JSON.parse((await run('api setUpTotp')).stdout)
    writeFileSync(join(home, 'code.json'), JSON.stringify({ code: generateSync({ secret }) }))
    expect((await run(`api enableTotp --data @${join(home, 'code.json')}`)).code).toBe(0)
    const { code, stderr } = await logIn(server, url)
    expect(code).toBe(6)
    expect(stderr).toContain('two-factor code')
  })

  test('follows the feed across a crash, with every event once', async () => {
    const { server, url } = await served()
    await logIn(server, url)
    const child = start(['events', 'tail', '--type', 'package.*', '-o', 'jsonl'], { env: { XDG_CONFIG_HOME: config } })
    let received = ''
    child.stderr?.on('data', (text) => {
      received += text
    })
    const result = ended(child)
    const until = async (words: string): Promise<void> => {
      while (!received.includes(words)) await new Promise((next) => setTimeout(next, 20))
    }
    await until('following')
    await run('packages create one -q')
    await server.kill('SIGKILL')
    await until('lost the server')
    const again = await startServer(server.dir, { hostname: 'localhost', port: server.port, logLevel: 'silent' })
    await again.send('POST', '/packages', { name: 'two' })
    await until('is back')
    await again.send('POST', '/packages', { name: 'three' })
    await new Promise((next) => setTimeout(next, 500))
    child.kill('SIGINT')
    const { code, stdout } = await result
    expect(code).toBe(130)
    const names = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(names.map(({ type }) => type)).toEqual(['package.created', 'package.created', 'package.created'])
    expect(new Set(names.map(({ id }) => id)).size).toBe(3)
  })

  test('delivers what the listener forwards: the same headers, the same bytes', async () => {
    const { server, url } = await served()
    await logIn(server, url)
    const received = new Map<string, { headers: object; body: string }>()
    const receiver = createServer(async (incoming, outgoing) => {
      let body = ''
      for await (const chunk of incoming) body += chunk
      const changing = ['x-panel-timestamp', 'x-panel-signature', 'webhook-timestamp', 'webhook-signature']
      const headers = Object.entries(incoming.headers).map(([name, value]) => [
        name,
        changing.includes(name) ? '…' : value,
      ])
      received.set(incoming.url ?? '', { headers: Object.fromEntries(headers), body })
      outgoing.writeHead(204).end()
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    const address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
    const { body } = await server.send('POST', '/webhooks', { url: `${address}/real`, events: ['package.created'] })
    writeFileSync(join(home, 'secret'), body.secret)
    await run('packages create "ünï<co>\u2028de" -q')
    await run('packages create plain -q')
    const listen = `webhooks listen --forward-to ${address}/listen --events package.created --after 0 --limit 1`
    expect((await run(`${listen} --secret-file ${join(home, 'secret')}`)).code).toBe(0)
    while (!received.has('/real')) await new Promise((next) => setTimeout(next, 20))
    receiver.closeAllConnections()
    receiver.close()
    const [real, forwarded] = [received.get('/real'), received.get('/listen')]
    expect(forwarded?.body).toBe(real?.body)
    expect(forwarded?.headers).toEqual(real?.headers)
  })

  test('creates links for accounts', async () => {
    const { server, url } = await served()
    await logIn(server, url)
    await run('accounts create alice --domain alice.example -q')
    const { code, stdout, stderr } = await run('accounts sso alice --panel user --goto /user/ --open')
    expect(code).toBe(0)
    expect(stdout).toContain('/user/auth/sso?token=')
    expect(stderr).toContain('no browser was opened')
  })

  test('answers reads in JSON over a session', async () => {
    const { server, url } = await served()
    await logIn(server, url)
    const reads = ['license show', 'resellers list', 'settings show', 'tokens list', 'webhooks list', 'audit list']
    for (const line of reads) {
      const { code, stdout, stderr } = await run(`${line} -o json`)
      expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: '' })
      JSON.parse(stdout)
    }
  })
})
