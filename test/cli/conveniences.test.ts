import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hasScript, typed } from './pty.ts'
import { ensureBuilt, ensureServerBuilt, inProcess, panel } from './run.ts'
import { scratchFolder, startServer } from './server.ts'
import { account, ids, type Stub, startStub } from './stub.ts'

let stub: Stub
beforeAll(async () => {
  ensureBuilt()
  stub = await startStub()
})
beforeEach(() => stub.reset())
afterAll(() => stub.close())

const env = () => ({ PANEL_URL: stub.url, PANEL_TOKEN: 'pnl_x' })
const run = (line: string, more: Record<string, string> = {}) => inProcess(line.split(' '), { ...env(), ...more })

describe('panel open', () => {
  const link = 'https://host.example:7711/api/v1/user/auth/sso?token=once'
  beforeEach(() =>
    stub.handle(({ path }) => (path.endsWith('/sso') ? { body: { url: link, expires_in: 60 } } : undefined)),
  )

  test.each([
    ['open --account alice', {}],
    ['open -a alice domains', { goto: '/user/domains' }],
    ['accounts open alice', {}],
    ['accounts open alice /user/email', { goto: '/user/email' }],
    ['accounts open alice /admin/accounts', { panel: 'admin', goto: '/admin/accounts' }],
  ])('prints a one-time link without a terminal: %s', async (line, body) => {
    expect(await run(line)).toEqual({ code: 0, stdout: `${link}\n`, stderr: '' })
    expect(stub.requests.at(-1)).toMatchObject({ method: 'POST', path: `/accounts/${ids.alice}/sso`, body })
  })

  test('opens the page without an account, and says how to sign in', async () => {
    const { code, stdout, stderr } = await run('open')
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${stub.url}/admin/\n` })
    expect(stderr).toContain('Sign in there with your password. For an account, signed in: panel open --account NAME')
    expect((await run('open /docs')).stdout).toBe(`${stub.url}/docs\n`)
    expect((await run('open //evil.example')).code).toBe(2)
  })

  test('uses the address of the server over the local socket', { timeout: 60_000 }, async () => {
    ensureServerBuilt()
    const dataDir = scratchFolder()
    const { url } = await startServer(dataDir)
    expect((await panel(['open', '/docs', '--data-dir', dataDir])).stdout).toBe(`${url}/docs\n`)
  })

  test.runIf(hasScript)('starts the browser on a terminal, and keeps the link off the screen', async () => {
    const folder = scratchFolder()
    const browser = join(folder, 'browser')
    writeFileSync(browser, `#!/bin/sh\ncat "$1" > ${folder}/seen\n`)
    chmodSync(browser, 0o755)
    const { code, text } = await typed('open -a alice', { ...env(), BROWSER: browser, XDG_RUNTIME_DIR: folder })
    expect({ code, text }).toEqual({ code: 0, text: '' })
    expect(readFileSync(join(folder, 'seen'), 'utf8')).toContain('token=once')
  })
})

describe('list on the command line', () => {
  beforeEach(() =>
    stub.handle(() => ({
      body: { items: [account('alice', ids.alice, { main_domain: 'a "b", c', max_ftp: 3 })], total: 1 },
    })),
  )

  test('prints a spreadsheet with -o csv', async () => {
    expect((await run('accounts list -o csv --columns username,main_domain,created_at')).stdout).toBe(
      'username,main_domain,created_at\r\nalice,"a ""b"", c",2023-11-14T22:13:20.000Z\r\n',
    )
  })

  test('prints every column with -o wide', async () => {
    const [head = ''] = (await run('accounts list -o wide')).stdout.split('\n')
    expect(head.split('\t')).toEqual(expect.arrayContaining(['username', 'owner_id', 'uid', 'max_ftp', 'shell']))
  })

  test('refuses to watch a list without a terminal', async () => {
    const { code, stderr } = await run('accounts list --watch')
    expect(code).toBe(2)
    expect(stderr).toContain('--watch needs a terminal')
    expect(stub.lines()).toEqual([])
  })

  test.runIf(hasScript)('redraws a list with --watch until Ctrl-C', async () => {
    let requests = 0
    stub.handle(() => ({ body: { items: [account(`user${++requests}`, ids.alice)], total: 1 } }))
    const { code, text } = await typed('accounts list --watch --columns username', env(), [
      ['user1', ''],
      ['user2', '\u0003'],
    ])
    expect(code).toBe(130)
    expect(text).toMatch(/\d\d:\d\d:\d\d {2}panel accounts list --watch --columns username\nUSERNAME\nuser1\n/)
  })
})

test('a context is renamed, and stays the current one', async () => {
  const home = scratchFolder()
  mkdirSync(join(home, 'panel'), { mode: 0o700 })
  const file = join(home, 'panel/contexts.json')
  const contexts = { prod: { url: stub.url, token: 'pnl_x' }, test: { url: stub.url } }
  writeFileSync(file, JSON.stringify({ current: 'prod', contexts }), { mode: 0o600 })
  const rename = (line: string) => inProcess(`context rename ${line}`.split(' '), { XDG_CONFIG_HOME: home })
  expect(await rename('prod live')).toEqual({ code: 0, stdout: '', stderr: 'The context prod is now called live.\n' })
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    current: 'live',
    contexts: { live: contexts.prod, test: contexts.test },
  })
  for (const line of ['live test', 'live local', 'live a/b', 'gone other'])
    expect((await rename(line)).code, line).toBe(2)
  expect((await rename('live')).code).toBe(6)
})

describe('panel service', () => {
  const folder = () => {
    const bin = scratchFolder()
    for (const name of ['systemctl', 'journalctl']) {
      writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} "$@"\nexit 3\n`)
      chmodSync(join(bin, name), 0o755)
    }
    return bin
  }
  const user = process.getuid?.() === 0 ? '' : '--user '

  test.each([
    ['status', `systemctl ${user}status --no-pager panel`],
    ['restart', `systemctl ${user}restart panel`],
    ['logs', `journalctl ${user}--unit=panel --output=cat --lines=100 --no-pager`],
    ['logs -f --lines 5', `journalctl ${user}--unit=panel --output=cat --lines=5 --follow`],
  ])("%s prints systemd's output, with its exit code", async (line, output) => {
    const { code, stdout } = await panel(['service', ...line.split(' ')], {
      env: { PATH: `${folder()}:/usr/bin:/bin` },
    })
    expect({ code, stdout }).toEqual({ code: 3, stdout: `${output}\n` })
  })

  test('says that there is no systemd', async () => {
    const { code, stderr } = await panel(['service', 'restart'], { env: { PATH: '/nonexistent' } })
    expect(code).toBe(1)
    expect(stderr).toBe(
      'error: systemctl was not found: these commands need systemd\nhint: run the server in the foreground with panel serve\n',
    )
  })
})
