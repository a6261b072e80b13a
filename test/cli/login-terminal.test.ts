import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ownCertificate } from '../../src/server/tls.ts'
import { type Dialogue, hasScript, typed } from './pty.ts'
import { ensureBuilt } from './run.ts'
import { type Received, type Reply, type Stub, startStub } from './stub.ts'

const folder = mkdtempSync(join(tmpdir(), 'panel-login-terminal-'))
let stub: Stub
let home: string
beforeAll(async () => {
  ensureBuilt()
  stub = await startStub(undefined, await ownCertificate(join(folder, 'tls'), 'localhost', Date.now()))
})
beforeEach(() => {
  home = mkdtempSync(join(folder, 'home-'))
  stub.reset()
  stub.handle(serving)
})
afterAll(async () => {
  await stub.close()
  rmSync(folder, { recursive: true })
})

const denied: Reply = {
  status: 401,
  body: { type: 'https://x/problems/unauthenticated', title: 'Not signed in', detail: 'The code is wrong.' },
}
const cookie = (value: string) => ({ 'set-cookie': `panel_admin=${value}; Path=/; HttpOnly` })

/** Everyone has the password `correct horse`, and the second factor 123456. */
function serving({ path, body, headers }: Received): Reply | undefined {
  const input = body as { password?: string; code?: string } | undefined
  if (path === '/auth/session') return { body: { authenticated: false } }
  if (path === '/auth/login' && input?.password !== 'correct horse') return denied
  if (path === '/auth/login') return { body: { authenticated: false, mfa_required: true }, headers: cookie('waiting') }
  if (path !== '/auth/login/totp') return undefined
  if (headers.cookie !== 'panel_admin=waiting' || input?.code !== '123456') return denied
  return { body: { authenticated: true, csrf_token: 'c', username: 'root', role: 'root' }, headers: cookie('in') }
}

const login = (dialogue: Dialogue) => typed(`login ${stub.url} --context prod`, { XDG_CONFIG_HOME: home }, dialogue)
const file = () => join(home, 'panel/contexts.json')

describe.runIf(hasScript)('panel login on a terminal', () => {
  test('shows the fingerprint, asks for the name, the password and the code, and hides secrets', async () => {
    const { code, text } = await login([
      ['Trust this server and pin its key?', 'y\r'],
      ['Username:', '\r'],
      ['Password of root', 'correct horse\r'],
      ['Code', '000000\r'],
      ['Code', '123 456\r'],
    ])
    expect(text).toMatch(/certificate {2}([0-9A-F]{2}:){31}[0-9A-F]{2}\n/)
    expect(text).toContain('The code is wrong.')
    expect(text).toContain('as root. It is saved as the context prod')
    expect(text).not.toContain('correct')
    expect(code).toBe(0)
    expect(JSON.parse(readFileSync(file(), 'utf8')).contexts.prod).toMatchObject({
      pin: expect.stringMatching(/^sha256:/),
      session: { cookie: 'in', username: 'root' },
    })
  })

  test('accepts no as an answer: nothing is sent, nothing is saved', async () => {
    const { code, text } = await login([['Trust this server and pin its key?', 'n\r']])
    expect(code).toBe(7)
    expect(text).toContain('not trusted: nothing was sent')
    expect(stub.requests).toEqual([])
    expect(existsSync(file())).toBe(false)
  })

  test('cancels a sign-in with Ctrl-C', async () => {
    const { code } = await login([
      ['Trust this server and pin its key?', 'y\r'],
      ['Username:', '\u0003'],
    ])
    expect(code).toBe(130)
    expect(existsSync(file())).toBe(false)
  })

  test('asks for the server if none is given', async () => {
    const { code, text } = await typed('login', { XDG_CONFIG_HOME: home }, [['Server (such as', 'nonsense\r']])
    expect(code).toBe(2)
    expect(text).toContain('is not a URL')
  })
})

describe.runIf(hasScript)('remote server on a terminal', () => {
  const remote = (line: string, dialogue: Dialogue = []) => typed(line, { XDG_CONFIG_HOME: home }, dialogue, 60)
  let plain: Stub
  beforeAll(async () => {
    plain = await startStub()
  })
  afterAll(() => plain.close())
  beforeEach(async () => {
    await typed('context list', { XDG_CONFIG_HOME: home })
    const { mkdirSync } = await import('node:fs')
    mkdirSync(join(home, 'panel'))
    writeFileSync(file(), JSON.stringify({ current: 'prod', contexts: { prod: { url: plain.url } } }), { mode: 0o600 })
  })

  test('names the server before any question', async () => {
    const { host } = new URL(plain.url)
    const missing = await remote('accounts create --no-wait', [
      ['Username', 'zed\r'],
      ['Main domain', 'z.example\r'],
    ])
    expect(missing.text).toContain(`On prod (${host}):`)
    const secret = await remote('accounts set-password alice', [['password', '\u0003']])
    expect(secret.text).toContain(`On prod (${host}):`)
    const deletion = await remote('packages delete small', [['Delete the package small on prod', 'n\r']])
    expect(deletion.code).toBe(1)
    const removal = await remote('context remove prod', [['Remove the context prod', 'y\r']])
    expect(removal.code).toBe(0)
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual({ contexts: {} })
  })

  test('prints tables that fit, and says what is omitted', async () => {
    const { text } = await remote('accounts list')
    expect(text).toContain('choose columns with --columns')
    const [, ...lines] = text.split('\n')
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(60)
  })

  test('opens a link without showing it to others on the machine', async () => {
    const seen = join(home, 'seen')
    const browser = join(home, 'browser')
    writeFileSync(browser, `#!/bin/sh\nprintf '%s\\n' "$@" > ${seen}\nls -l "$1" >> ${seen}\ncat "$1" >> ${seen}\n`, {
      mode: 0o700,
    })
    plain.handle(({ path }) =>
      path.endsWith('/sso') ? { body: { url: 'https://h.example/sso?token=canary&x="', expires_in: 60 } } : undefined,
    )
    const { code, text } = await typed('accounts sso alice --open', { XDG_CONFIG_HOME: home, BROWSER: browser })
    expect(code).toBe(0)
    expect(text).not.toContain('canary')
    const [argument = '', listed = '', ...page] = readFileSync(seen, 'utf8').split('\n')
    expect(argument).not.toContain('canary')
    expect(listed).toMatch(/^-rw-------/)
    expect(page.join('\n')).toContain('0;url=https://h.example/sso?token=canary&amp;x=&quot;"')
    expect(existsSync(argument)).toBe(false)
  })

  test('starts no browser for a link that is not a web address', async () => {
    plain.handle(({ path }) =>
      path.endsWith('/sso') ? { body: { url: 'file:///etc/passwd', expires_in: 60 } } : undefined,
    )
    const env = { XDG_CONFIG_HOME: home, BROWSER: '/bin/false' }
    expect((await typed('accounts sso alice --open', env)).text).toContain('open the link yourself')
  })
})
