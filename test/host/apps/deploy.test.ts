import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { beginOf } from '../../../src/host/tenant/processes.ts'
import { type AppBench, appHost, appId, ask, asking, eventually, nodeApp, orderOf, unitOf } from './fixtures.ts'

const deployed = (host: AppBench, release: number, over = {}) =>
  host.deploy(orderOf(release, host.upload({ 'app.js': nodeApp(`v${release}`) }), over))

/** A host with an applied app, before its first release. */
async function begun(options = {}) {
  const host = await appHost(options)
  await host.apply([unitOf()])
  return host
}

const versionAt = async (where: string) => JSON.parse((await ask(where)).body).version

describe('node app', { timeout: 60_000 }, () => {
  test('loses no request through deploys, a rollback and a restart, and ends up with one process', async () => {
    const host = await begun()
    const { made, status } = await deployed(host, 1)
    expect(made).toEqual({ root: '.', sizeBytes: expect.any(Number), warnings: [] })
    expect(status).toEqual({ id: appId, status: 'running', release: 1 })
    const loop = asking(host.socket)
    await deployed(host, 2)
    await deployed(host, 3)
    await host.deploy(orderOf(2, { kind: 'retained' }))
    await host.driver.apps.restartApp({ account: orderOf(1, { kind: 'retained' }).account, id: appId, name: 'shop' })
    await loop.stop()
    expect(loop.versions()).toEqual(['v1', 'v2', 'v3'])
    expect(await versionAt(host.socket)).toBe('v2')
    expect(host.processes()).toEqual(['node app.js'])
    expect(host.current()).toBe('releases/2')
    expect(host.log()).toContain('listening v3\n')
  })

  test('keeps running if a release is unhealthy, and nothing of that release is left', async () => {
    const host = await begun()
    await deployed(host, 1)
    const loop = asking(host.socket)
    const bad = "require('node:http').createServer((_, a) => a.writeHead(500).end()).listen(process.env.PORT)"
    const app = { ...orderOf(2, { kind: 'retained' }).app, healthTimeoutS: 1 }
    await expect(host.deploy(orderOf(2, host.upload({ 'app.js': bad }), { app }))).rejects.toThrow(
      'The app was not healthy within 1 s: GET / was answered with status 500.',
    )
    await expect(host.deploy(orderOf(3, host.upload({ 'app.js': 'process.exit(4)' })))).rejects.toThrow(
      'The app exited with code 4 before it was healthy.',
    )
    const build = { build: 'echo building; exit 7' }
    await expect(deployed(host, 4, build)).rejects.toThrow('The command exited with code 7: echo building; exit 7')
    await loop.stop()
    expect(loop.versions()).toEqual(['v1'])
    expect(host.releases()).toEqual(['1'])
    expect(host.processes()).toEqual(['node app.js'])
    expect(host.lines).toContain('building')
  })

  test('keeps the configured number of releases', async () => {
    const host = await begun()
    for (const release of [1, 2, 3]) await deployed(host, release)
    mkdirSync(join(host.folder, 'releases/9.partial'))
    writeFileSync(join(host.folder, 'releases/notes'), '')
    await host.settle([2])
    expect(host.releases()).toEqual(['2', '3', 'notes'])
  })

  test('stops and starts an app as desired', async () => {
    const host = await begun()
    const { unit } = await deployed(host, 1)
    await host.apply([{ ...unit, running: false }])
    expect(await host.settle()).toEqual({ id: appId, status: 'stopped' })
    expect(host.processes()).toEqual([])
    expect(existsSync(host.socket)).toBe(false)
    await host.apply([unit])
    expect(await host.settle()).toMatchObject({ status: 'running', release: 1 })
    expect(await versionAt(host.socket)).toBe('v1')
  })

  test('gets a new environment without losing a request', async () => {
    const host = await begun()
    const { unit } = await deployed(host, 1)
    const loop = asking(host.socket)
    await host.apply([{ ...unit, env: { WORD: 'new' } }])
    await host.settle()
    await loop.stop()
    expect(JSON.parse((await ask(host.socket)).body)).toMatchObject({ version: 'v1', word: 'new' })
    expect(host.processes()).toHaveLength(1)
  })

  test('gives an app that listens on a port another one with each release', async () => {
    const host = await begun()
    const app = { ...orderOf(1, { kind: 'retained' }).app, listen: 'port' as const }
    const ports: number[] = []
    for (const release of [1, 2, 3]) {
      const { made, status } = await deployed(host, release, { app })
      ports.push(made.port!)
      expect(status).toMatchObject({ status: 'running', release })
      expect(await versionAt(String(made.port))).toBe(`v${release}`)
    }
    expect(new Set(ports).size).toBe(2)
    expect(ports[2]).toBe(ports[0])
    for (const port of ports) expect(port >= 20_000 && port <= 29_999).toBe(true)
    expect(host.processes()).toHaveLength(1)
  })
})

describe('app that exits', { timeout: 60_000 }, () => {
  test('restarts an app that exits', async () => {
    const host = await begun()
    await deployed(host, 1)
    const { pid } = JSON.parse((await ask(host.socket)).body)
    await expect(ask(host.socket, '/exit')).rejects.toThrow()
    await eventually(() =>
      ask(host.socket).then(
        ({ body }) => JSON.parse(body).pid !== pid,
        () => false,
      ),
    ).toBe(true)
    expect(host.log()).toContain('The app exited with code 3.')
  })

  test('reports an app that exits repeatedly as crashed, and fixes it with a deploy', async () => {
    const host = await begun()
    const once = `const { existsSync, writeFileSync } = require('node:fs')
      if (existsSync('../ran')) process.exit(5)
      ${nodeApp('v1')}`
    await host.deploy(orderOf(1, host.upload({ 'app.js': once })))
    writeFileSync(join(host.folder, 'releases/ran'), '')
    await expect(ask(host.socket, '/exit')).rejects.toThrow()
    const status = async () => (await host.driver.apps.appStatus({})).items[0]
    await eventually(status).toEqual({ id: appId, status: 'crashed', reason: 'The app exited with code 5.' })
    await expect(host.settle()).rejects.toThrow('The app exited with code 5. It exits again and again.')
    await deployed(host, 2)
    expect(await status()).toEqual({ id: appId, status: 'running', release: 2 })
  })
})

test('changes are reported to waiting callers', { timeout: 60_000 }, async () => {
  const host = await begun()
  const { at } = await host.driver.apps.appStatus({})
  const next = host.driver.apps.appStatus({ after: at })
  await deployed(host, 1)
  expect((await next).at).not.toBe(at)
})

describe('static files', () => {
  test('serves static files from public, without a process and without trust', async () => {
    const host = await begun({ trustTenants: false })
    const { root: _, start: __, ...app } = unitOf({ kind: 'static' })
    const { made, status } = await host.deploy(orderOf(1, host.upload({ 'public/index.html': 'hi' }), { app }))
    expect(made.root).toBe('public')
    expect(status).toMatchObject({ status: 'running', release: 1 })
    expect(existsSync(join(host.folder, 'current/public/index.html'))).toBe(true)
    await expect(host.deploy(orderOf(2, host.upload({ 'a.html': '' }), { app, root: 'dist' }))).rejects.toThrow(
      'The directory dist is missing in the release.',
    )
    expect(host.releases()).toEqual(['1'])
  })

  test('allows static files without trust, but not node apps', async () => {
    const host = await begun({ trustTenants: false })
    await expect(deployed(host, 1)).rejects.toThrow('This server does not run apps of accounts')
    expect(existsSync(host.folder)).toBe(false)
  })
})

describe('process of an app', { timeout: 60_000 }, () => {
  test('kills a process that ignores SIGTERM', async () => {
    const host = await begun({ appTimes: { graceMs: 200, drainMs: 1_000, retryMs: () => 20 } })
    const deaf = `process.on('SIGTERM', () => {})\n${nodeApp('v1').replace(/process\.on\('SIGTERM'.*/, '')}`
    await host.deploy(orderOf(1, host.upload({ 'app.js': deaf })))
    const { pid } = JSON.parse((await ask(host.socket)).body)
    await deployed(host, 2)
    expect(beginOf(pid)).toBeUndefined()
    expect(host.processes()).toEqual(['node app.js'])
  })

  test('answers the requests it received before it was replaced', async () => {
    const host = await begun()
    const slow = `require('node:http').createServer((request, response) => {
      if (request.url === '/slow') setTimeout(() => response.end('slow answer'), 1500)
      else response.end('{}')
    }).listen(process.env.PORT)`
    await host.deploy(orderOf(1, host.upload({ 'app.js': slow })))
    const requests = ask(host.socket, '/slow')
    await deployed(host, 2)
    expect(await requests).toEqual({ status: 200, body: 'slow answer' })
  })

  test('answers the connections its socket accepted before it was replaced', async () => {
    const host = await begun()
    const napping = `require('node:http').createServer((request, response) => {
      if (request.url !== '/nap') return response.end('from ' + process.pid)
      response.end('good night', () => setTimeout(() => {
        require('node:fs').writeFileSync('../../asleep', '')
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3000)
      }, 50))
    }).listen(process.env.PORT)`
    await host.deploy(orderOf(1, host.upload({ 'app.js': napping })))
    const [{ body: first }] = [await ask(host.socket)]
    await ask(host.socket, '/nap')
    await eventually(() => existsSync(join(host.folder, 'asleep'))).toBe(true)
    const waiting = Promise.all([ask(host.socket), ask(host.socket), ask(host.socket)])
    await deployed(host, 2)
    expect((await waiting).map(({ body }) => body)).toEqual([first, first, first])
  })

  test('never gets a port that is in use', async () => {
    const host = await begun()
    const app = { ...orderOf(1, { kind: 'retained' }).app, listen: 'port' as const }
    const [first, second] = [await deployed(host, 1, { app }), await deployed(host, 2, { app })]
    // The third would get the first one's again.
    const taken = createServer().listen(first.made.port, '127.0.0.1')
    await once(taken, 'listening')
    onTestFinished(() => void taken.close())
    const { made } = await deployed(host, 3, { app })
    expect([first.made.port, second.made.port]).not.toContain(made.port)
    expect(await versionAt(String(made.port))).toBe('v3')
  })

  test('writes a log that is rotated when it grows large', async () => {
    const host = await begun()
    const loud = `process.stdout.write(('x'.repeat(99) + '\\n').repeat(120000))\n${nodeApp('v1')}`
    await host.deploy(orderOf(1, host.upload({ 'app.js': loud })))
    const logs = join(host.root, 'var/log/panel/bob')
    await eventually(() => readdirSync(logs).filter((name) => /^shop\.app\.log-\d{8}$/.test(name))).toHaveLength(1)
    expect(statSync(join(logs, readdirSync(logs).find((name) => name.includes('log-'))!)).size).toBeLessThan(11e6)
    const files = host.driver.files(orderOf(1, { kind: 'retained' }).account)
    const tail = () => files.act('tailLog', { file: 'shop.app.log', limit: 1 })
    await eventually(async () => (await tail()).lines).toEqual(['listening v1'])
    await host.driver.logs.rotateLogs({ day: '2031-12-30', keepFrom: '2031-12-01' })
    expect(readdirSync(logs).filter((name) => name.startsWith('shop.app.log'))).toEqual(['shop.app.log-20311230'])
  })
})
