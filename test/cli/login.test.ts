import { X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ownCertificate } from '../../src/server/tls.ts'
import { inProcess, panel } from './run.ts'
import { type KeyPair, type Received, type Reply, type Stub, startStub } from './stub.ts'

const password = 'correct horse battery'
const secret = 'pnl_canarycanarycanary'
const cookie = 'c00kie-canary_value'
const folder = mkdtempSync(join(tmpdir(), 'panel-login-'))
const files = { password: join(folder, 'password'), token: join(folder, 'token') }

let stub: Stub
let pair: KeyPair
let home: string
let keyHash: string
let certificateHash: string

beforeAll(async () => {
  pair = await ownCertificate(join(folder, 'tls'), 'localhost', Date.now())
  const { publicKey, fingerprint256 } = new X509Certificate(pair.cert)
  keyHash = await sha256(publicKey.export({ type: 'spki', format: 'der' }))
  certificateHash = fingerprint256
  stub = await startStub(undefined, pair)
  writeFileSync(files.password, `${password}\n`)
  writeFileSync(files.token, `${secret}\n`)
})
beforeEach(() => {
  home = mkdtempSync(join(folder, 'home-'))
  stub.reset()
  stub.show(pair)
  stub.handle(serving)
})
afterAll(async () => {
  await stub.close()
  rmSync(folder, { recursive: true })
})

async function sha256(bytes: Buffer): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes))).toString('hex')
}

const problem = (status: number, code: string, detail?: string): Reply => ({
  status,
  body: { type: `https://host/problems/${code}`, title: code, status, ...(detail && { detail }) },
})
const signedIn = { authenticated: true, csrf_token: 'csrf-canary', username: 'root', role: 'root', expires_at: 4e12 }

/** A server with one administrator, who has a password and a token. */
function serving({ path, method, body, headers }: Received): Reply | undefined {
  const current = headers.cookie === `panel_admin=${cookie}` && headers['x-csrf-token'] === 'csrf-canary'
  if (path === '/auth/session') return { body: current ? signedIn : { authenticated: false } }
  if (path === '/auth/login' && method === 'POST') return signIn(body as { username: string; password: string })
  if (path === '/auth/logout') return current ? { status: 204 } : problem(401, 'unauthenticated')
  if (path === '/token')
    return headers.authorization === `Bearer ${secret}` ? { body: token } : problem(401, 'unauthenticated')
  return current || headers.authorization === `Bearer ${secret}` ? undefined : problem(401, 'unauthenticated')
}

const token = { server: 'host.example', principal_name: 'root', kind: 'admin', name: 'ci', scopes: ['full-access'] }

const signIn = (input: { username: string; password: string }): Reply =>
  input.username === 'root' && input.password === password
    ? { body: signedIn, headers: { 'set-cookie': `panel_admin=${cookie}; Path=/; HttpOnly; Secure` } }
    : problem(401, 'unauthenticated', 'The username or the password is wrong.')

const run = (line: string, env: Record<string, string> = {}) =>
  inProcess(line.split(' '), { XDG_CONFIG_HOME: home, ...env })
const login = (more: string, env?: Record<string, string>) => run(`login ${stub.url} --context prod ${more}`, env)
const byPassword = () => login(`--password-file ${files.password} --fingerprint sha256:${keyHash}`)
const byToken = () => login(`--token-file ${files.token} --fingerprint sha256:${keyHash}`)
const contextsFile = () => join(home, 'panel', 'contexts.json')
const saved = () => JSON.parse(readFileSync(contextsFile(), 'utf8'))

describe('panel login', () => {
  test('saves the session of a sign-in by password, which later commands use', async () => {
    const { code, stdout, stderr } = await byPassword()
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr).toContain('as root')
    expect(saved()).toMatchObject({
      current: 'prod',
      contexts: { prod: { pin: `sha256:${keyHash}`, session: { cookie } } },
    })
    expect(readFileSync(contextsFile(), 'utf8')).not.toContain(password)
    expect((await run('accounts list -o name')).stdout).toBe('alice\nbob\n')
    await run('packages delete small --yes')
    expect(stub.requests.at(-1)?.headers).toMatchObject({
      cookie: `panel_admin=${cookie}`,
      'x-csrf-token': 'csrf-canary',
    })
    expect(stub.requests.at(-1)?.headers.authorization).toBeUndefined()
  })

  test('saves the token of a sign-in by token', async () => {
    expect((await byToken()).code).toBe(0)
    expect(saved().contexts.prod).toEqual({ url: stub.url, pin: `sha256:${keyHash}`, token: secret, user: 'root' })
    expect((await run('accounts list -o name')).stdout).toBe('alice\nbob\n')
  })

  test('keeps the file private, even if it was open to others', async () => {
    mkdirSync(join(home, 'panel'), { mode: 0o755 })
    writeFileSync(contextsFile(), '{}', { mode: 0o644 })
    const { stderr } = await byToken()
    expect(stderr).not.toContain(secret)
    expect(statSync(contextsFile()).mode & 0o777).toBe(0o600)
    expect(statSync(join(home, 'panel')).mode & 0o777).toBe(0o700)
  })

  test('prints what it saved, without secrets, with -o', async () => {
    const { stdout } = await login(`--password-file ${files.password} --fingerprint sha256:${keyHash} -o json`)
    expect(JSON.parse(stdout)).toMatchObject({ name: 'prod', url: stub.url, user: 'root', signed_in_by: 'session' })
    expect(stdout).not.toMatch(/canary/)
  })

  test('shows no secret with --debug', async () => {
    const { stdout, stderr } = await login(`--password-file ${files.password} --fingerprint sha256:${keyHash} --debug`)
    expect(stderr).toContain('debug: POST /auth/login 200')
    expect(stdout + stderr).not.toMatch(/canary|correct horse/)
    const later = await run('accounts list --debug')
    expect(later.stdout + later.stderr).not.toMatch(/canary/)
  })

  test('refuses secrets as arguments, and does not repeat them', async () => {
    for (const option of ['--token', '--password']) {
      const { code, stderr } = await login(`${option} ${secret}`)
      expect(code).toBe(2)
      expect(stderr).not.toContain(secret)
    }
    expect(stub.requests).toEqual([])
  })

  test('says which password is wrong, and saves nothing', async () => {
    writeFileSync(join(folder, 'wrong'), 'wrong')
    const { code, stderr } = await login(`--password-file ${join(folder, 'wrong')} --fingerprint sha256:${keyHash}`)
    expect(code).toBe(4)
    expect(stderr).toContain('The username or the password is wrong.')
    expect(stderr).toContain('--panel user')
    expect(existsSync(contextsFile())).toBe(false)
  })

  test('needs a secret if nobody can be asked', async () => {
    const { code, stderr } = await login(`--fingerprint sha256:${keyHash}`)
    expect(code).toBe(6)
    expect(stderr).toContain('--token-stdin')
  })

  test('refuses a token that would break the request', async () => {
    writeFileSync(join(folder, 'broken'), 'pnl_x\r\nX-Evil: 1')
    const { code, stderr } = await login(`--token-file ${join(folder, 'broken')} --fingerprint sha256:${keyHash}`)
    expect(code).toBe(2)
    expect(stderr).not.toContain('Evil')
  })

  test('tells scripts to use a token if a code is required', async () => {
    stub.handle((request) =>
      request.path === '/auth/login'
        ? { body: { authenticated: false, mfa_required: true }, headers: { 'set-cookie': `panel_admin=${cookie}` } }
        : serving(request),
    )
    const { code, stderr } = await byPassword()
    expect(code).toBe(6)
    expect(stderr).toContain('--token-stdin')
  })

  test.each([
    ['no cookie', { body: signedIn }],
    ['a cookie that would break a header', { body: signedIn, headers: { 'set-cookie': 'panel_admin=a b' } }],
    ['no session', { body: [] }],
    ['no token against forgery', { body: { authenticated: true }, headers: { 'set-cookie': 'panel_admin=abc' } }],
  ])('refuses a sign-in with %s', async (_what, reply: Reply) => {
    stub.handle((request) => (request.path === '/auth/login' ? reply : serving(request)))
    const { code, stderr } = await byPassword()
    expect(code).toBe(1)
    expect(stderr).toContain('is not a panel server, or sent an unexpected response')
    expect(existsSync(contextsFile())).toBe(false)
  })

  test('sends no password to a server that is not panel', async () => {
    stub.handle(() => ({ body: { hello: 'world' } }))
    expect((await byPassword()).code).toBe(1)
    expect(stub.lines()).toEqual(['GET /auth/session'])
  })

  test('renews the sign-in of the current context', async () => {
    await byPassword()
    const { code } = await run(`login --token-file ${files.token}`)
    expect(code).toBe(0)
    expect(saved().contexts.prod).toMatchObject({ token: secret, pin: `sha256:${keyHash}` })
    expect(saved().contexts.prod.session).toBeUndefined()
  })

  test('does not save another server under a name in use', async () => {
    await byToken()
    const { code, stderr } = await run(`login https://127.0.0.1:1 --context prod --token-file ${files.token}`)
    expect(code).toBe(2)
    expect(stderr).toContain('panel context remove prod')
  })

  test.each([
    ['login http://panel.example:7711', 2],
    ['login nonsense', 2],
    ['login https://user:pw@panel.example', 2],
    ['login https://127.0.0.1:1 --context a,b', 2],
    ['login https://127.0.0.1:1 --context local', 2],
    ['login https://127.0.0.1:1 --context ../x', 2],
    ['login https://127.0.0.1:1 --context $(touch\u00a0x)', 2],
    ['login https://127.0.0.1:1 --fingerprint sha256:zz', 2],
    ['login', 6],
    ['login https://127.0.0.1:1', 7],
  ])('answers %s with exit code %i', async (line, expected) => {
    expect((await run(line)).code).toBe(expected)
    expect(existsSync(contextsFile())).toBe(false)
  })

  test('names the server after its host, and its port if it is not the default', async () => {
    await run(`login ${stub.url} --token-file ${files.token} --fingerprint sha256:${keyHash}`)
    expect(saved().current).toBe(`127.0.0.1-${new URL(stub.url).port}`)
  })

  test.each(['PANEL_URL', 'PANEL_CONTEXT'])('warns if %s overrides it', async (variable) => {
    const more = `--token-file ${files.token} --fingerprint sha256:${keyHash}`
    const { stderr } = await login(more, { [variable]: 'https://other.example' })
    expect(stderr.match(new RegExp(`warning: ${variable} is set`, 'g'))).toHaveLength(1)
  })
})

describe('key of a server', () => {
  test.each([
    ['of the key, in hex', () => `sha256:${keyHash}`],
    ['of the key, in base64', () => `SHA256:${Buffer.from(keyHash, 'hex').toString('base64').replace('=', '')}`],
    ['of the certificate, as openssl shows it', () => `sha256:${certificateHash}`],
    ['without its kind', () => keyHash.toUpperCase()],
  ])('pins the key with the fingerprint %s', async (_form, fingerprint) => {
    const { code } = await login(`--token-file ${files.token} --fingerprint ${fingerprint()}`)
    expect(code).toBe(0)
    expect(saved().contexts.prod.pin).toBe(`sha256:${keyHash}`)
  })

  test('sends nothing to a server whose key does not match the given fingerprint', async () => {
    const { code, stderr } = await login(`--token-file ${files.token} --fingerprint sha256:${'0'.repeat(64)}`)
    expect(code).toBe(7)
    expect(stderr).toContain(keyHash)
    expect(stub.requests).toEqual([])
  })

  test('shows a key that is not trusted, and refuses it without a terminal', async () => {
    const { code, stderr } = await login(`--token-file ${files.token}`)
    expect(code).toBe(6)
    expect(stderr).toContain(`sha256:${keyHash}`)
    expect(stderr, 'as openssl prints it').toContain(`  certificate  ${certificateHash}\n`)
    expect(stderr).toContain('--fingerprint')
    expect(stub.requests).toEqual([])
  })

  test('needs no pin if PANEL_CACERT trusts the key', async () => {
    const ca = join(folder, 'ca.pem')
    writeFileSync(ca, pair.cert)
    const { code, stderr } = await login(`--token-file ${files.token}`, { PANEL_CACERT: ca })
    expect(stderr).toContain('Signed in')
    expect(code).toBe(0)
    expect(saved().contexts.prod).toEqual({ url: stub.url, ca, token: secret, user: 'root' })
    expect((await run('accounts list -o name')).stdout).toBe('alice\nbob\n')
  })

  test('accepts the same key in a new certificate', async () => {
    await byToken()
    const later = await ownCertificate(join(folder, 'tls'), 'renamed.example', Date.now())
    expect(later.cert).not.toBe(pair.cert)
    stub.show(later)
    expect((await run('accounts list -o name')).code).toBe(0)
    expect((await byToken()).code).toBe(0)
  })

  test('sends nothing, with exit code 7, when the key changed between two calls', async () => {
    await byPassword()
    stub.show(await ownCertificate(join(folder, 'other'), 'localhost', Date.now()))
    stub.requests.length = 0
    const list = await run('accounts list')
    expect({ code: list.code, stdout: list.stdout }).toEqual({ code: 7, stdout: '' })
    expect(list.stderr).toContain('another key')
    expect((await run('accounts terminate alice --yes')).code).toBe(7)
    expect((await run(`login --password-file ${files.password}`)).code).toBe(7)
    expect(stub.requests).toEqual([])
  })

  test('accepts a key replaced on purpose with its fingerprint', async () => {
    await byToken()
    const other = await ownCertificate(join(folder, 'other'), 'localhost', Date.now())
    stub.show(other)
    const { fingerprint256 } = new X509Certificate(other.cert)
    expect((await login(`--token-file ${files.token} --fingerprint ${fingerprint256}`)).code).toBe(0)
    expect((await run('accounts list -q')).code).toBe(0)
  })
})

test('a curl command pins the same key, and contains no secret', async () => {
  await byPassword()
  const { stdout } = await run('api listAccounts --curl')
  const pin = `sha256//${Buffer.from(keyHash, 'hex').toString('base64')}`
  expect(stdout).toBe(
    `curl --insecure --pinnedpubkey '${pin}' -H "Authorization: Bearer $PANEL_TOKEN" '${stub.url}/api/v1/accounts'\n`,
  )
})

describe('port that is not a panel', () => {
  let other: Server
  let answer: string | undefined
  let address: string
  beforeAll(async () => {
    other = createServer((socket) => {
      socket.on('error', () => undefined)
      if (answer !== undefined) socket.end(answer)
    })
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    address = `https://127.0.0.1:${(other.address() as { port: number }).port}`
  })
  afterAll(() => other.close())

  test.each(['SSH-2.0-OpenSSH_9.2\r\n', 'HTTP/1.1 400 Bad Request\r\n\r\n', ''])(
    'exits with code 7 when the port answers %j',
    async (text) => {
      answer = text
      const { code, stdout } = await run(`login ${address} --token-file ${files.token}`)
      expect({ code, stdout }).toEqual({ code: 7, stdout: '' })
    },
  )
})

describe('saved session', () => {
  test('says how to sign in again when a session expired', async () => {
    await byPassword()
    stub.handle((request) =>
      request.path === '/auth/session' ? { body: { authenticated: false } } : problem(401, 'unauthenticated'),
    )
    for (const line of ['accounts list', 'whoami']) {
      const { code, stderr } = await run(line)
      expect(code).toBe(4)
      expect(stderr).toContain('panel login --context prod')
    }
  })

  test('shows the session in whoami, with its source', async () => {
    await byPassword()
    expect(JSON.parse((await run('whoami -o json')).stdout)).toMatchObject({
      user: 'root',
      kind: 'root',
      context: 'prod',
      address: `${stub.url}/api/v1`,
      chosen_by: 'the current context: prod',
      signed_in_by: 'the session of prod',
      session: { panel: 'admin' },
    })
    expect(JSON.parse((await run('whoami -o json', { PANEL_CONTEXT: 'prod' })).stdout).chosen_by).toBe(
      'PANEL_CONTEXT: prod',
    )
  })

  test('ends the session on both sides with logout, and the context too', async () => {
    await byPassword()
    const { code, stderr } = await run('logout')
    expect(code).toBe(0)
    expect(stderr).toContain('Signed out of prod')
    expect(stub.lines().at(-1)).toBe('POST /auth/logout')
    expect(saved()).toEqual({ contexts: {} })
    expect((await run('accounts list --context prod')).code).toBe(2)
  })

  test('deletes the session here even if the server is unreachable', async () => {
    await byPassword()
    stub.handle(() => ({ cut: true }))
    const { code, stderr } = await run('logout prod')
    expect(code).toBe(0)
    expect(stderr).toContain('could not be ended on the server')
    expect(saved()).toEqual({ contexts: {} })
  })

  test('refuses to end a session if the environment selected the server', async () => {
    expect((await run('logout', { PANEL_URL: stub.url })).code).toBe(2)
  })
})

test('secrets are read from standard input', async () => {
  const words = ['login', stub.url, '--context', 'prod', '--token-stdin', '--fingerprint', keyHash]
  const { code, stdout } = await panel(words, { env: { XDG_CONFIG_HOME: home }, input: `${secret}\n` })
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
  expect(saved().contexts.prod.token).toBe(secret)
})
