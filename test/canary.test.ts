import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateSync } from 'otplib'
import { expect, test } from 'vitest'
import type { Json } from './harness.ts'
import { place, type ServerProcess, startServer } from './serve/server.ts'
import { Visitor } from './serve/visitor.ts'
import { certificate } from './ssl/openssl.ts'
import { Receiver } from './webhooks/receiver.ts'

/** Secrets by kind; each was given to the server, or by it. */
type Secrets = Map<string, string>

test('no secret is found in plain text in the store, its files, the logs or the process arguments', {
  timeout: 60_000,
}, async () => {
  const dir = place()
  const server = await startServer(dir, { logLevel: 'debug' })
  const secrets: Secrets = new Map()
  const receiver = await new Receiver((_request, response) => response.end('fine')).listen()
  const id = await live(server, receiver, secrets)
  await receiver.got(2)
  const received = await everyOutput(server, id, secrets)
  const argv = readFileSync(`/proc/${server.child.pid}/cmdline`)
  const sent = Buffer.from(JSON.stringify(receiver.received))
  await receiver.close()
  const running = filesBelow(dir)
  expect([...running.keys()]).toEqual(expect.arrayContaining(['panel.db', 'panel.db-wal']))
  expect(await server.kill('SIGTERM')).toBe(0)
  const all: [string, Buffer][] = [
    ...[...running].map(([name, bytes]): [string, Buffer] => [`${name} while it runs`, bytes]),
    ...filesBelow(dir),
    ['log', Buffer.from(server.err + server.out)],
    ['arguments', argv],
    ['what webhooks receive', sent],
    ['what can be read back', received],
  ]
  proveItWouldShow(new Map(all))
  expect(leaks(all, secrets)).toEqual([])
})

/** Every operation that handles a secret, once. */
async function live(server: ServerProcess, receiver: Receiver, secrets: Secrets): Promise<string> {
  const keep = (name: string, value: string): string => {
    expect(value?.length, name).toBeGreaterThanOrEqual(6)
    secrets.set(name, value)
    return value
  }
  const root = async (method: string, path: string, body?: unknown, headers = {}): Promise<Json> => {
    const reply = await server.send(method, path, body, { headers })
    expect(reply.status, `${method} ${path} ${JSON.stringify(reply.body)}`).toBeLessThan(400)
    return reply.body
  }
  const hook = await root('POST', '/webhooks', { url: receiver.url })
  keep('webhook secret', hook.secret)
  keep(
    'rotated webhook secret',
    (await root('POST', `/webhooks/${hook.webhook.id}/rotate-secret`, { grace_hours: 1 })).secret,
  )

  const password = keep('password at creation', 'canary-Heron-4711')
  const { account } = await root(
    'POST',
    '/accounts',
    { username: 'alice', domain: 'alice.example', password },
    { 'Idempotency-Key': 'once' },
  )
  const changed = keep('password set for it', 'canary-Bittern-4712')
  await root('POST', `/accounts/${account.id}/password`, { new_password: changed })
  const below = `/accounts/${account.id}`
  const { user } = await root('POST', `${below}/mysql/users`, {
    name: 'app',
    password: keep('database password', 'canary-Kestrel-4716'),
  })
  await root('POST', `${below}/mysql/users/${user.id}/password`, {
    new_password: keep('changed database password', 'canary-Harrier-4717'),
  })
  const { ftp_account } = await root('POST', `${below}/ftp/accounts`, {
    login: 'deploy@alice.example',
    password: keep('FTP password', 'canary-Merlin-4718'),
  })
  await root('POST', `${below}/ftp/accounts/${ftp_account.id}/password`, {
    new_password: keep('changed FTP password', 'canary-Hobby-4719'),
  })
  const { app } = await root('POST', `${below}/apps`, {
    name: 'shop',
    kind: 'static',
    git_url: 'https://git.example/shop.git',
    git_username: 'deploy',
    git_password: keep('password of a repository', 'canary-Dipper-4723'),
  })
  await root('PATCH', `${below}/apps/${app.id}`, {
    git_password: keep('new password of a repository', 'canary-Redstart-4724'),
  })
  const variable = { name: 'KEY', value: keep('secret of an app', 'canary-Siskin-4725'), secret: true }
  await root('PATCH', `${below}/apps/${app.id}/env`, { set: [variable] })
  await root('PUT', '/root/password', { new_password: keep("root's password", 'canary-Osprey-4713') })
  const mailboxes = `/accounts/${account.id}/email/accounts`
  const address = 'info@alice.example'
  const inbox = { address, password: keep('password of a mailbox', 'canary-Plover-4721') }
  const { mailbox } = await root('POST', mailboxes, inbox)
  const other = { new_password: keep('new password of a mailbox', 'canary-Curlew-4722') }
  await root('POST', `${mailboxes}/${mailbox.id}/password`, other)
  const admin = keep(
    'admin token',
    (await root('POST', '/tokens', { name: 'billing', scopes: ['full-access'] })).secret,
  )
  const own = keep(
    'account token',
    (await root('POST', `/accounts/${account.id}/tokens`, { name: 'deploy', scopes: ['full-access'] })).secret,
  )

  const browser = new Visitor(server)
  const cookies = (name: string): void => {
    for (const [panel, value] of browser.cookies) keep(`${name} ${panel}`, value)
    if (browser.csrf !== undefined) keep(`${name} csrf`, browser.csrf)
  }
  const wrong = keep('wrong password', 'canary-Egret-4714')
  await browser.send('POST', '/user/auth/login', { username: 'alice', password: wrong })
  const typed = { username: keep('password typed as username', 'canary-stork-4715'), password: 'x' }
  await browser.send('POST', '/user/auth/login', typed)
  const broken = `{"password": "${keep('password in broken JSON', 'canary-Crane-4716')}"`
  await browser.send('POST', '/user/auth/login', broken)
  await browser.send('POST', '/user/auth/login', { pass: keep('password in an unknown field', 'canary-Ibis-4717') })
  await browser.page('/user/login', { username: 'alice', password: keep('password in a form', 'canary-Grebe-4718') })
  expect((await browser.send('POST', '/user/auth/login', { username: 'alice', password: changed })).status).toBe(200)
  cookies('session')

  const { secret } = (await browser.send('POST', '/user/auth/totp/setup')).body
  keep('TOTP secret', secret)
  const enabled = await browser.send('POST', '/user/auth/totp/enable', { code: generateSync({ secret }) })
  expect(enabled.status, JSON.stringify(enabled.body)).toBe(200)
  for (const [at, code] of enabled.body.recovery_codes.entries()) keep(`recovery code ${at}`, code)
  await browser.send('POST', '/user/auth/password', {
    current_password: changed,
    new_password: keep('password changed by its owner', 'canary-Avocet-4719'),
  })
  await browser.send('POST', '/user/auth/logout')
  await browser.send('POST', '/user/auth/login', {
    username: 'alice',
    password: secrets.get('password changed by its owner'),
  })
  cookies('waiting')
  const completed = await browser.send('POST', '/user/auth/login/totp', { code: secrets.get('recovery code 0') })
  expect(completed.status).toBe(200)
  cookies('completed')

  await openLinks(server, root, account.id, keep)
  for (const token of [admin, own])
    await browser.send('GET', `/accounts/${account.id}`, undefined, { Authorization: `Bearer ${token}` })
  const bad = keep('unknown token', `pnl_${'canary'.repeat(6)}abcd`)
  await browser.send('GET', '/accounts', undefined, { Authorization: `Bearer ${bad}` })
  const basic = Buffer.from(`root:${keep('password by Basic', 'canary-Dunlin-4720')}`).toString('base64')
  await browser.send('GET', '/accounts', undefined, { Authorization: `Basic ${keep('Basic header', basic)}` })
  await install(root, account.id, keep)
  for (const [name, token] of Object.entries({ admin, own })) keep(`${name} token but its ends`, token.slice(12, -6))
  await root('POST', `/webhooks/${hook.webhook.id}/test`)
  return account.id
}

/** A certificate with its key, refused once and installed once. */
async function install(
  root: (method: string, path: string, body?: unknown) => Promise<Json>,
  id: string,
  keep: (name: string, value: string) => string,
): Promise<void> {
  const [{ id: domain_id }] = (await root('GET', `/accounts/${id}/domains`)).items
  const made = certificate({ names: ['alice.example'], from: '20260101000000Z', to: '20991231000000Z' })
  keep('private key of a certificate', made.key.split('\n')[2]!)
  const body = { domain_id, certificate: made.certificate, private_key: made.key }
  await root('POST', `/accounts/${id}/ssl/certificates`, body)
  await root('POST', `/accounts/${id}/ssl/csrs`, { domain_id })
}

/** Every response that shows stored data, and refusals of what contained a secret. */
async function everyOutput(server: ServerProcess, id: string, secrets: Secrets): Promise<Buffer> {
  const certificates = ['/ssl/certificates', '/ssl/csrs', '/domains']
  const account = [
    '',
    '/jobs',
    '/audit?per_page=500',
    '/events',
    '/tokens',
    '/webhooks',
    '/email/accounts',
    '/apps',
    ...certificates,
  ].map((path) => `/accounts/${id}${path}`)
  const full = ['/accounts', '/jobs', '/audit?per_page=500', '/events?limit=500', '/tokens', '/webhooks', '/settings']
  const password = secrets.get('password at creation')
  const wrong = [{ password, odd: 1 }, { username: 'root', domain: 'x.example', password }, { password: [password] }]
  const read = await Promise.all([...account, ...full].map((path) => server.send('GET', path)))
  const refused = await Promise.all(wrong.map((body) => server.send('POST', '/accounts', body)))
  expect(read.map(({ status }) => status)).toEqual(read.map(() => 200))
  expect(refused.map(({ status }) => status)).toEqual([400, 400, 400])
  return Buffer.from(JSON.stringify([read, refused].map((replies) => replies.map(({ body }) => body))))
}

/** Links of both kinds: used, used twice, never used, and unknown; opened by a script and by a browser. */
async function openLinks(
  server: ServerProcess,
  root: (method: string, path: string) => Promise<Json>,
  id: string,
  keep: (name: string, value: string) => string,
): Promise<void> {
  for (const kind of ['sso', 'login-as']) {
    for (const use of ['used', 'unused', 'opened as a page']) {
      const { url } = await root('POST', `/accounts/${id}/${kind}`)
      const token = keep(`${kind} token, ${use}`, new URL(url).searchParams.get('token')!)
      if (use === 'unused') continue
      const browser = new Visitor(server)
      const headers: Record<string, string> = use === 'used' ? {} : { Accept: 'text/html' }
      for (const status of [302, 401]) {
        expect((await browser.send('GET', `/user/auth/sso?token=${token}`, undefined, headers)).status).toBe(status)
      }
      keep(`${kind} session, ${use}`, browser.cookies.get('panel_user')!)
      keep(`${kind} csrf, ${use}`, (await browser.send('GET', '/user/auth/session')).body.csrf_token)
      await browser.page('/user/')
    }
  }
  const stranger = new Visitor(server)
  await stranger.send('GET', `/user/auth/sso?token=${keep('unknown link token', 'canary'.repeat(7))}`)
  await stranger.send('GET', `/user/auth/sso?token=${keep('link token beside a fault', 'carany'.repeat(7))}&odd=1`)
}

/** Readable only by root: what the web server needs, and the record of its configuration. */
const forRootAlone = /host\/(?:etc\/panel\/(?:tls|apps)$|var\/lib\/panel-host\/)/

function filesBelow(dir: string): Map<string, Buffer> {
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !forRootAlone.test(entry.parentPath),
  )
  return new Map(
    entries.map(({ parentPath, name }) => {
      const path = join(parentPath, name)
      return [path.slice(dir.length + 1), readFileSync(path)]
    }),
  )
}

/** Values that are not secret are found there, so a secret would be. */
function proveItWouldShow(all: ReadonlyMap<string, Buffer>): void {
  expect(all.get('panel.db')!.includes('alice.example')).toBe(true)
  expect(all.get('panel.db-wal while it runs')!.includes('alice.example')).toBe(true)
  expect(all.get('panel.db')!.includes('createAccountSso')).toBe(true)
  for (const operation of ['redeemLink', 'signInUser', 'completeSignInUser', 'createToken'])
    expect(all.get('log')!.includes(operation), operation).toBe(true)
  expect(all.get('arguments')!.includes('test-serve-main')).toBe(true)
  expect(all.get('panel.db')!.includes('$argon2id$')).toBe(true)
  expect(all.get('what can be read back')!.includes('alice.example')).toBe(true)
  expect(all.get('what webhooks receive')!.includes('alice.example')).toBe(true)
}

/** Where a secret is found: as it is, or in an encoding that anyone can reverse. */
function leaks(all: readonly [string, Buffer][], secrets: Secrets): string[] {
  expect(secrets.size).toBeGreaterThan(40)
  return [...secrets].flatMap(([name, secret]) =>
    all.flatMap(([where, bytes]) =>
      dresses(secret).some((text) => bytes.includes(text)) ? [`${name} in ${where}`] : [],
    ),
  )
}

function dresses(secret: string): string[] {
  const bytes = Buffer.from(secret)
  return [
    secret,
    encodeURIComponent(secret),
    bytes.toString('hex'),
    bytes.toString('base64').replace(/=+$/, ''),
    secret.toLowerCase(),
  ]
}
