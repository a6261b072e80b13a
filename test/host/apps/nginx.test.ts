import { existsSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { AppUnit } from '../../../src/host/contract/driver.ts'
import { account, type Site, server, siteOf } from '../helpers.ts'
import { get, nginx, serve } from '../nginx.ts'
import { type AppBench, appHost, appId, asking, nodeApp, orderOf, unitOf } from './fixtures.ts'

/** Echoes its request, and accepts an upgrade. */
const echo = `
const server = require('node:http').createServer(async (request, response) => {
  let size = 0
  for await (const chunk of request) size += chunk.length
  const { host, connection } = request.headers
  const forwarded = request.headers['x-forwarded-proto'] + ' ' + request.headers['x-forwarded-host']
  response.end(JSON.stringify({ url: request.url, host, connection, forwarded, size, proxy: request.headers.proxy }))
})
server.on('upgrade', (request, socket) => {
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n\\r\\n')
  socket.on('data', (chunk) => socket.end('echo ' + chunk))
})
server.listen(process.env.PORT)
`

const applyWith = (host: AppBench, unit: AppUnit, site: Partial<Site>) =>
  host.driver.apply({
    server,
    accounts: [account({ parts: { apps: { apps: [unit], gone: [] }, web: { sites: [siteOf('bob.example', site)] } } })],
  })

describe.skipIf(!existsSync(nginx))('nginx in front of an app', { timeout: 60_000 }, () => {
  test.each(['socket', 'port'] as const)('forwards requests to an app that listens on a %s', async (listen) => {
    const host = await appHost()
    await host.apply([unitOf({ listen })])
    const app = { ...orderOf(1, { kind: 'retained' }).app, listen }
    const { unit } = await host.deploy(orderOf(1, host.upload({ 'app.js': echo }), { app }))
    await applyWith(host, unit, { handler: 'app', app: { id: appId, ...(unit.port && { port: unit.port }) } })
    const socket = await serve(host.root)
    const received = JSON.parse((await get(socket, '/a%20b//c?d=%2f')).body)
    const forwarded = 'http bob.example'
    expect(received).toEqual({ url: '/a%20b//c?d=%2f', host: 'bob.example', connection: 'close', forwarded, size: 0 })
    expect((await get(socket, '/.well-known/acme-challenge/x')).status).toBe(404)
    expect(await posted(socket, 3_000_000)).toMatchObject({ size: 3_000_000 })
    expect(await upgraded(socket)).toBe('echo hello')
  })

  test('loses no request while releases are switched', async () => {
    const host = await appHost()
    await host.apply([unitOf()])
    const { unit } = await host.deploy(orderOf(1, host.upload({ 'app.js': nodeApp('v1') })))
    await applyWith(host, unit, { handler: 'app', app: { id: appId } })
    const loop = asking(await serve(host.root), 'bob.example')
    for (const release of [2, 3]) await host.deploy(orderOf(release, host.upload({ 'app.js': nodeApp(`v${release}`) })))
    await loop.stop()
    expect(loop.versions()).toEqual(['v1', 'v2', 'v3'])
  })

  test('answers 503 for an app that does not run', async () => {
    const host = await appHost()
    await applyWith(host, unitOf(), { handler: 'off' })
    const socket = await serve(host.root)
    expect((await get(socket, '/')).status).toBe(503)
    expect((await get(socket, '/any.php')).status).toBe(503)
  })

  test('serves the current release of static files', async () => {
    const host = await appHost()
    const { root: _, start: __, ...app } = unitOf({ kind: 'static' })
    await host.apply([{ ...app, root: '.' }])
    const site = { handler: 'static', documentRoot: 'apps/shop/current/public' } as const
    const { unit } = await host.deploy(orderOf(1, host.upload({ 'public/index.html': 'one' }), { app }))
    await applyWith(host, unit, site)
    const socket = await serve(host.root)
    for (const path of ['apps', 'apps/shop', 'apps/shop/releases', 'apps/shop/releases/1'])
      expect(statSync(join(host.home, path)).mode & 0o005).toBe(0o005)
    expect(await get(socket, '/')).toEqual({ status: 200, body: 'one' })
    await host.deploy(orderOf(2, host.upload({ 'public/index.html': 'two' }), { app }))
    expect(await get(socket, '/')).toEqual({ status: 200, body: 'two' })
  })
})

const posted = (socketPath: string, size: number) =>
  new Promise((resolve, reject) => {
    const headers = { host: 'bob.example', proxy: 'http://evil.example' }
    const call = request({ socketPath, method: 'POST', headers, agent: false }, async (answer) => {
      let body = ''
      for await (const chunk of answer) body += chunk
      resolve(JSON.parse(body))
    })
    call.once('error', reject).end(Buffer.alloc(size))
  })

const upgraded = (socketPath: string) =>
  new Promise<string>((resolve, reject) => {
    const headers = { host: 'bob.example', connection: 'Upgrade', upgrade: 'websocket' }
    const call = request({ socketPath, headers, agent: false })
    call.on('upgrade', (_, socket) => {
      let output = ''
      socket.on('data', (chunk) => {
        output += chunk
      })
      socket.on('end', () => resolve(output))
      socket.write('hello')
    })
    call.on('response', ({ statusCode }) => reject(new Error(`status ${statusCode}`)))
    call.once('error', reject).end()
  })
