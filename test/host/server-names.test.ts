import { existsSync, mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { ServerState } from '../../src/host/contract/driver.ts'
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

test.each([
  { hostname: 'a b' },
  { webmail: 'x;}' },
  { phpmyadmin: 'A.example' },
  { front: 'yes' },
  { certificate: { certificatePem: made.key, keyPem: made.key } },
  { challenges: [{ ...challenge, token: '../x' }] },
  { more: 1 },
])('refuses an invalid server, and writes nothing: %j', (over) => {
  expect(() => checkServerState(stateOf(over as object))).toThrow()
})

test('answers to ACME challenges come and go, and a second apply changes nothing', async () => {
  const root = tempDir()
  const driver = createDirectoryDriver({ root })
  const answer = join(root, 'var/lib/panel-host/acme/.well-known/acme-challenge', token)
  expect(await driver.applyServer(stateOf({ challenges: [challenge] }))).toEqual({ changed: 8 })
  expect(existsSync(answer)).toBe(true)
  expect(await driver.applyServer(stateOf())).toEqual({ changed: 1 })
  expect(existsSync(answer)).toBe(false)
  expect(await driver.applyServer(stateOf())).toEqual({ changed: 0 })
  expect(await driver.diff(server, undefined, stateOf())).toEqual([])
  await driver.apply({ server, accounts: [account()] })
  expect(await driver.diff(server, undefined, stateOf())).toEqual([])
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
