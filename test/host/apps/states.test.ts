import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { account, idOf, nameOf, server } from '../helpers.ts'
import { appHost, appId, ask, asking, eventually, nodeApp, orderOf, processesOf, shortDir, unitOf } from './fixtures.ts'

async function running(files: Readonly<Record<string, string>> = { 'app.js': nodeApp('v1') }, over = {}) {
  const host = await appHost()
  await host.apply([unitOf()])
  const { unit } = await host.deploy(orderOf(1, host.upload(files), over))
  return { ...host, unit }
}

describe('account that is suspended', { timeout: 60_000 }, () => {
  test('runs nothing, not even in other sessions, and is restored as it was', async () => {
    const child = "require('node:child_process').spawn('setsid', ['sleep', '7731'], { detached: true })\n"
    const host = await running({ 'app.js': child + nodeApp('v1') })
    await eventually(() => processesOf(host.root)).toContain('sleep 7731')
    await host.apply([host.unit], { suspended: true })
    expect(processesOf(host.root)).toEqual([])
    expect(existsSync(join(host.root, 'run/panel-apps', appId))).toBe(false)
    await host.apply([host.unit])
    await host.settle()
    expect((await ask(host.socket)).status).toBe(200)
  })

  test('stops a build of a minute at once', async () => {
    const host = await running()
    const source = host.upload({ 'app.js': nodeApp('v2') })
    const build = 'setsid sleep 7732 & touch ../../begun; sleep 60'
    const building = host.driver.apps.deployApp(orderOf(2, source, { build })).catch((error: Error) => error.message)
    await eventually(() => existsSync(join(host.folder, 'begun'))).toBe(true)
    await host.apply([host.unit], { suspended: true })
    expect(await building).toBe('The deploy was stopped: the app may not run any more.')
    expect(processesOf(host.root)).toEqual([])
    expect(host.releases()).toEqual(['1'])
  })
})

test('a deleted app is stopped, and its directory goes to the trash', { timeout: 60_000 }, async () => {
  const host = await running()
  await eventually(host.log).toContain('listening v1')
  const apps = { apps: [], gone: [{ id: appId, name: 'shop' }] }
  await host.driver.apply({ server, accounts: [account({ parts: { apps } })] })
  expect(processesOf(host.root)).toEqual([])
  expect(existsSync(host.folder)).toBe(false)
  expect(host.log()).toBe('')
  const [item] = (await host.driver.files(nameOf(account())).act('listTrash', {})).items
  expect(Buffer.from(item!.path, 'base64').toString()).toBe('apps/shop')
  expect(existsSync(join(host.root, 'home/bob/.trash', item!.id, 'item/releases/1'))).toBe(true)
  expect(existsSync(join(host.root, 'etc/panel/apps', `${appId}.json`))).toBe(false)
})

test('an account that is removed leaves no process, socket or file', { timeout: 60_000 }, async () => {
  const host = await running()
  await host.driver.remove(nameOf(account()))
  expect(processesOf(host.root)).toEqual([])
  expect(readdirSync(join(host.root, 'run/panel-apps'))).toEqual([])
  expect(readdirSync(join(host.root, 'etc/panel/apps'))).toEqual([])
})

test('a renamed account has its app in the new home, without a lost request', {
  timeout: 60_000,
}, async () => {
  const host = await running()
  const loop = asking(host.socket)
  await host.apply([host.unit], { username: 'robert', formerUsername: 'bob' })
  await host.settle()
  await loop.stop()
  const { pid } = JSON.parse((await ask(host.socket)).body)
  expect(readFileSync(`/proc/${pid}/environ`, 'latin1')).toContain(`HOME=${join(host.root, 'home/robert')}\0`)
  expect(processesOf(host.root).filter((line) => line === 'node app.js')).toHaveLength(1)
})

describe('build', { timeout: 60_000 }, () => {
  test('gets the environment of the app, and hides secrets in its log', async () => {
    const host = await appHost()
    const env = { TOKEN: 'sesame-open-9', SHORT: 'abc', LINES: 'first-line-1\nsecond-line-2', PLAIN: 'shown-value' }
    const { root: _, ...app } = unitOf({ env })
    await host.apply([unitOf({ env })])
    const build = 'echo "$TOKEN $SHORT $PLAIN"; echo "$LINES"; env | sort; echo err >&2'
    await host.deploy(
      orderOf(1, host.upload({ 'app.js': `console.log(process.env.TOKEN)\n${nodeApp('v1')}` }), {
        app,
        build,
        secrets: ['TOKEN', 'SHORT', 'LINES'],
      }),
    )
    const output = host.lines.join('\n')
    expect(host.lines).toContain('*** abc shown-value')
    expect(host.lines).toContain('err')
    expect(output).not.toMatch(/sesame-open-9|first-line-1|second-line-2/)
    expect(output).not.toMatch(/^(?:NODE_OPTIONS|VITEST|npm_)/m)
    expect(readFileSync(join(host.root, 'etc/panel/apps', `${appId}.json`), 'utf8')).toContain('sesame-open-9')
  })

  test('reports 5,000 lines of 2,000 characters', async () => {
    const host = await appHost()
    await host.apply([unitOf()])
    const build = 'head -c 10000 /dev/zero | tr "\\0" x; echo; seq 1 20000'
    await host.deploy(orderOf(1, host.upload({ 'app.js': nodeApp('v1') }), { build }))
    expect(host.lines).toHaveLength(5_000)
    expect(Math.max(...host.lines.map(({ length }) => length))).toBe(2_000)
    expect(host.lines.at(-1)).toBe('More lines follow that are not kept.')
  })

  test('kills a build that takes too long with everything it started', async () => {
    const host = await appHost()
    await host.apply([unitOf()])
    const order = orderOf(1, host.upload({ 'app.js': '' }), { build: 'setsid sleep 7733 & sleep 60', buildTimeoutS: 1 })
    await expect(host.deploy(order)).rejects.toThrow('The build took longer than 1 s and was killed.')
    expect(processesOf(host.root)).toEqual([])
    expect(host.releases()).toEqual([])
  })

  test('kills what a build leaves behind at its end', async () => {
    const host = await appHost()
    await host.apply([unitOf()])
    const build = 'setsid sleep 7734 & echo done'
    await host.deploy(orderOf(1, host.upload({ 'app.js': nodeApp('v1') }), { build }))
    expect(processesOf(host.root).filter((line) => line.startsWith('sleep'))).toEqual([])
  })

  test('stops a build that writes more than the quota', async () => {
    const host = await appHost()
    await host.apply([unitOf()])
    const build = 'head -c 30000000 /dev/urandom > big; sleep 30'
    const order = orderOf(1, host.upload({ 'app.js': '' }), { build, room: 10_000_000 })
    await expect(host.deploy(order)).rejects.toThrow('The release does not fit in the disk quota of the account.')
    expect(host.releases()).toEqual([])
    expect(processesOf(host.root)).toEqual([])
  })

  test('leaves nothing behind of a cancelled build', async () => {
    const host = await appHost()
    await host.apply([unitOf()])
    const stop = new AbortController()
    const order = orderOf(1, host.upload({ 'app.js': '' }), { build: 'touch ../../begun; sleep 60' })
    const building = host.driver.apps.deployApp(order, { signal: stop.signal }).catch((error: Error) => error.name)
    await eventually(() => existsSync(join(host.folder, 'begun'))).toBe(true)
    stop.abort()
    expect(await building).toBe('AbortError')
    expect(host.releases()).toEqual([])
    expect(processesOf(host.root)).toEqual([])
  })

  test('installs from the lock file, unless told otherwise', async () => {
    const host = await appHost()
    await host.apply([unitOf()])
    const lock = JSON.stringify({ name: 'shop', lockfileVersion: 3, packages: { '': { name: 'shop' } } })
    const files = { 'app.js': nodeApp('v1'), 'package.json': '{"name":"shop"}', 'package-lock.json': lock }
    await host.deploy(orderOf(1, host.upload(files)))
    expect(host.lines).toContain('$ npm ci --no-audit --no-fund')
    host.lines.length = 0
    await host.deploy(orderOf(2, host.upload(files), { install: 'echo mine' }))
    expect(host.lines).toEqual(expect.arrayContaining(['$ echo mine', 'mine']))
    expect(host.lines).not.toContain('$ npm ci --no-audit --no-fund')
  })
})

describe('archive of a release', { timeout: 60_000 }, () => {
  const tarOf = (...words: string[]): Buffer => execFileSync('tar', ['-cz', ...words], { maxBuffer: 1e8 })

  function hostile(): Readonly<Record<string, Buffer>> {
    const from = shortDir()
    writeFileSync(join(from, 'file'), 'x')
    mkdirSync(join(from, 'links'))
    execFileSync('ln', ['-s', '/etc', join(from, 'links/etc')])
    execFileSync('mkfifo', [join(from, 'pipe')])
    return {
      upwards: tarOf('-C', from, '--transform', 's|file|../../x|', 'file'),
      absolute: tarOf('-P', '-C', from, '--transform', 's|file|/tmp/x|', 'file'),
      link: tarOf('-C', from, 'links'),
      pipe: tarOf('-C', from, 'pipe'),
      text: Buffer.from('this is not an archive'),
    }
  }

  test.each([
    ['absolute', '1 path begins with "/", and became relative to the directory'],
    ['link', 'links/etc'],
    ['pipe', 'pipe: is a device, a FIFO or of an unknown type, and was left out'],
  ])('deploys what an archive has within its directory, and names the rest (%s)', async (kind, warning) => {
    const host = await appHost()
    const { root: _, start: __, ...app } = unitOf({ kind: 'static' })
    await host.apply([{ ...app, root: '.' }])
    const { made } = await host.deploy(orderOf(1, host.uploaded(idOf(700), hostile()[kind]!), { app }))
    expect(JSON.stringify(made.warnings)).toContain(JSON.stringify(warning).slice(1, -1))
    expect(host.releases()).toHaveLength(1)
  })

  test.each(['upwards', 'text'])('refuses a hostile archive (%s), and leaves nothing', async (kind) => {
    const host = await appHost()
    const { root: _, start: __, ...app } = unitOf({ kind: 'static' })
    await host.apply([{ ...app, root: '.' }])
    const source = host.uploaded(idOf(700), hostile()[kind]!)
    await expect(host.deploy(orderOf(1, source, { app }))).rejects.toThrow(/archive/)
    expect(host.releases()).toEqual([])
  })

  test('refuses an incomplete archive', async () => {
    const host = await appHost()
    await host.apply([unitOf()])
    const source = { ...host.upload({ 'app.js': '' }), size: 1_000_000 } as never
    await expect(host.deploy(orderOf(1, source))).rejects.toThrow(/Received only \d+ of \d+ bytes/)
  })
})

test('a python app has its virtual environment, even in a renamed home', { timeout: 60_000 }, async () => {
  const host = await appHost()
  const start = 'hello'
  const app = `#!/usr/bin/env python3
import http.server, os, socketserver, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def address_string(self): return 'local'
    def do_GET(self):
        self.send_response(200); self.end_headers(); self.wfile.write(sys.prefix.encode())
socketserver.ThreadingUnixStreamServer(os.environ['PORT'], Handler).serve_forever()
`
  const { root: _, ...unit } = unitOf({ kind: 'python', start })
  await host.apply([unitOf({ kind: 'python', start })])
  const install =
    'python3 -m venv --without-pip .venv && (printf "#!%s/.venv/bin/python\\n" "$PWD"; cat app.py) > .venv/bin/hello && chmod +x .venv/bin/hello'
  const made = await host.deploy(orderOf(1, host.upload({ 'app.py': app }), { app: unit, install }))
  expect((await ask(host.socket)).body).toBe(join(host.folder, 'releases/1/.venv'))
  await host.apply([made.unit], { username: 'robert', formerUsername: 'bob' })
  await host.settle()
  expect((await ask(host.socket)).body).toBe(join(host.root, 'home/robert/apps/shop/releases/1/.venv'))
})

test('a socket path that is too long is refused, not truncated', { timeout: 60_000 }, async () => {
  const host = await appHost({ root: join(shortDir(), 'x'.repeat(60), 'host') })
  await host.apply([unitOf()])
  await expect(host.deploy(orderOf(1, host.upload({ 'app.js': nodeApp('v1') })))).rejects.toThrow(
    /^The path of the app's socket is longer than 107 bytes/,
  )
  expect(host.releases()).toEqual([])
})
