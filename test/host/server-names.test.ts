import { existsSync, mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { ServerState } from '../../src/host/contract/driver.ts'
import type { MachineFacts } from '../../src/host/contract/facts.ts'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import { checkServerState, serverFilesOf } from '../../src/host/parts/server/index.ts'
import { certificate } from '../ssl/openssl.ts'
import { account, server, tempDir } from './helpers.ts'
import { get, nginx, serve } from './nginx.ts'

const made = certificate({ subject: '/CN=host.example', names: ['host.example'] })
const token = 'a'.repeat(43)
const challenge = { token, content: `${token}.${'b'.repeat(43)}` }

const stateOf = (over: Partial<ServerState> = {}): ServerState => ({
  hostname: 'host.example',
  webmail: 'webmail.host.example',
  phpmyadmin: 'phpmyadmin.host.example',
  front: false,
  certificate: { certificatePem: made.certificate, keyPem: made.key },
  challenges: [],
  ...over,
})

const textOf = (state: ServerState, facts = {}) =>
  serverFilesOf(state, facts).find(({ path }) => path.endsWith('names.conf'))!.content

test('renders the virtual hosts of the server, verbatim', async () => {
  await expect(textOf(stateOf())).toMatchFileSnapshot('texts/names.txt')
  await expect(textOf(stateOf({ front: true }))).toMatchFileSnapshot('texts/names-front.txt')
  expect(textOf(stateOf({ front: true }), { http2: 'directive' })).not.toContain('ssl http2;')
})

test('text is compressed with Brotli where nginx has its module', () => {
  const path = 'etc/panel/nginx/server/brotli.conf'
  const found = (facts: MachineFacts) => serverFilesOf(stateOf(), facts).find((file) => file.path === path)?.content
  expect(found({})).toBeUndefined()
  const lines = String(found({ brotli: true }))
    .trim()
    .split('\n')
  expect(lines.slice(0, 2)).toEqual(['brotli on;', 'brotli_min_length 512;'])
  expect(lines[2]).toMatch(/^brotli_types text\/plain text\/css .* image\/svg\+xml .*;$/)
  expect(lines[2]).not.toMatch(/text\/html|image\/(?:png|jpeg|webp)|zip/)
})

test.each([
  { hostname: 'a b' },
  { webmail: 'x;}' },
  { phpmyadmin: 'A.example' },
  { front: 'yes' },
  { contactEmail: 'root' },
  { contactEmail: 'a@ext.example, |/bin/sh' },
  { certificate: { certificatePem: made.key, keyPem: made.key } },
  { challenges: [{ ...challenge, token: '../x' }] },
  { more: 1 },
])('refuses an invalid server, and writes nothing: %j', (over) => {
  expect(() => checkServerState(stateOf(over as object))).toThrow()
})

test("mail to root and postmaster at the server's own name goes to the contact address", () => {
  const rows = (state: ServerState) =>
    Object.fromEntries(
      serverFilesOf(state).flatMap(({ path, content }) => (path.includes('/mail/') ? [[path, content]] : [])),
    )
  expect(rows(stateOf())).toEqual({})
  expect(rows(stateOf({ contactEmail: 'admin@ext.example' }))).toEqual({
    'etc/panel/mail/domains.d/_server': 'host.example _server\n',
    'etc/panel/mail/aliases.d/_server': [
      'abuse@host.example admin@ext.example\n',
      'hostmaster@host.example admin@ext.example\n',
      'postmaster@host.example admin@ext.example\n',
      'root@host.example admin@ext.example\n',
    ].join(''),
  })
})

test('answers to ACME challenges come and go, and a second apply changes nothing', async () => {
  const root = tempDir()
  const driver = createDirectoryDriver({ root })
  const answer = join(root, 'var/lib/panel-host/acme/.well-known/acme-challenge', token)
  expect(await driver.applyServer(stateOf({ challenges: [challenge] }))).toEqual({ changed: 9 })
  expect(existsSync(answer)).toBe(true)
  expect(await driver.applyServer(stateOf())).toEqual({ changed: 1 })
  expect(existsSync(answer)).toBe(false)
  expect(await driver.applyServer(stateOf())).toEqual({ changed: 0 })
  expect(await driver.diff({ server, state: stateOf() })).toEqual([])
  await driver.apply({ server, accounts: [account()] })
  expect(await driver.diff({ server, state: stateOf() })).toEqual([])
})

const secure = (socketPath: string, path: string, host: string): Promise<{ status: number; body: string }> =>
  new Promise((resolve, reject) => {
    const options = { socketPath, path, servername: host, headers: { host }, rejectUnauthorized: false, agent: false }
    const call = request(options as never, async (answer) => {
      let body = ''
      for await (const chunk of answer) body += chunk
      resolve({ status: answer.statusCode!, body })
    })
    call.once('error', reject).end()
  })

test.skipIf(!existsSync(nginx))(
  'nginx answers ACME challenges for every name, and serves the panel at its own',
  async () => {
    const root = tempDir()
    mkdirSync(join(root, 'run/panel-front'), { recursive: true })
    const panel = createServer((requested, answer) => {
      const { host, 'x-forwarded-for': forwarded } = requested.headers
      answer.end([requested.url, host, String(forwarded).split(', ')[0]].join(' '))
    })
    await new Promise<void>((done) => panel.listen(join(root, 'run/panel-front/panel.sock'), done))
    onTestFinished(() => void panel.close())
    await createDirectoryDriver({ root }).applyServer(stateOf({ front: true, challenges: [challenge] }))
    const socket = await serve(root)
    const requests = `/.well-known/acme-challenge/${token}`
    for (const name of ['host.example', 'webmail.host.example', 'phpmyadmin.host.example'])
      expect(await get(socket, requests, name), name).toMatchObject({ status: 200, body: challenge.content })
    expect(await get(socket, '/', 'webmail.host.example')).toMatchObject({ status: 404 })
    expect(await get(socket, '/a?b', 'host.example')).toMatchObject({
      status: 301,
      location: 'https://host.example/a?b',
    })
    expect(await secure(`${socket}s`, '/api/v1/x?y', 'host.example')).toEqual({
      status: 200,
      body: '/api/v1/x?y host.example unix:',
    })
  },
)
