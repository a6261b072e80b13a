import { generateSync } from 'otplib'
import { describe, expect, test } from 'vitest'
import { type Json, type PanelOptions, type Reply, startPanel, type TestPanel } from '../harness.ts'
import { Authenticator } from './authenticator.ts'
import { Browser } from './browser.ts'

const password = 'correct horse battery'
const quarter = 15 * 60_000
const Host = 'host.example:7711'
const own = '/user/auth/passkeys'

/** Its pages are on a host name. */
class Page {
  readonly browser: Browser
  readonly panel: TestPanel
  host = Host
  constructor(panel: TestPanel) {
    this.panel = panel
    this.browser = new Browser(panel)
  }
  send = (method: string, path: string, body?: unknown, headers = {}): Promise<Reply> =>
    this.browser.send(method, path, { body, headers: { Host: this.host, ...headers } })
  get = (path: string): Promise<Reply> => this.send('GET', path)
  post = (path: string, body?: unknown): Promise<Reply> => this.send('POST', path, body)
  delete = (path: string): Promise<Reply> => this.send('DELETE', path)

  async add(key: Authenticator, { name = 'Laptop', path = own, ...changed }: Json = {}): Promise<Reply> {
    const started = await this.post(`${path}/start`)
    return started.status === 200 ? this.post(path, { name, credential: key.create(started.body, changed) }) : started
  }

  async use(key: Authenticator, { path = '/user/auth/login/passkey', body, ...changed }: Json = {}): Promise<Reply> {
    const started = await this.post(`${path}/start`, body ?? (path.includes('login') ? {} : undefined))
    return started.status === 200 ? this.post(path, { credential: key.get(started.body, changed) }) : started
  }
}

async function withAlice(options: PanelOptions = {}) {
  const panel = await startPanel(options)
  const { id } = await panel.account('alice', { password })
  const page = new Page(panel)
  await page.browser.signIn('alice', password)
  return { panel, page, id, key: new Authenticator() }
}

async function withPasskey(options: PanelOptions = {}) {
  const alice = await withAlice(options)
  const { status, body } = await alice.page.add(alice.key)
  expect(status).toBe(201)
  return { ...alice, passkey: body, visitor: new Page(alice.panel) }
}

describe('a new passkey', () => {
  test('comes with recovery codes, is listed with its host name, renamed and deleted, and emits nothing', async () => {
    const { panel, page, passkey } = await withPasskey()
    const { recovery_codes, ...listed } = passkey
    expect(listed).toEqual({
      id: expect.any(String),
      name: 'Laptop',
      rp_id: 'host.example',
      on_this_host: true,
      synced: false,
      created_at: panel.clock.now(),
    })
    expect(recovery_codes).toHaveLength(10)
    expect((await page.get(own)).body).toEqual({ items: [listed], rp_id: 'host.example', totp_enabled: false })
    expect((await page.get('/user/auth/session')).body.two_factor_enabled).toBe(true)
    const renamed = await page.send('PATCH', `${own}/${passkey.id}`, { name: '<b>Phone</b>' })
    expect([renamed.status, renamed.body]).toEqual([200, { ...listed, name: '<b>Phone</b>' }])
    expect((await page.add(new Authenticator(), { name: 'Second' })).body.recovery_codes).toBeUndefined()
    for (const { id } of (await page.get(own)).body.items) expect((await page.delete(`${own}/${id}`)).status).toBe(204)
    expect((await page.get('/user/auth/session')).body.two_factor_enabled).toBe(false)
    expect([panel.events(), panel.jobs()]).toEqual([expect.any(Array), []])
  })

  test('answers options that say what they are for, and of which passkeys there are already', async () => {
    const { page, passkey, id } = await withPasskey()
    const { body } = await page.post(`${own}/start`)
    expect(body).toMatchObject({
      rp: { id: 'host.example', name: 'host.example' },
      user: { id: Buffer.from(id).toString('base64url'), name: 'alice' },
      timeout: 300_000,
      attestation: 'none',
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    })
    expect(body.excludeCredentials).toEqual([{ id: expect.any(String), type: 'public-key', transports: ['internal'] }])
    expect(body.excludeCredentials[0].id).not.toBe(passkey.id)
  })

  test('needs a confirmed password, and a session that began with one', async () => {
    const { panel, page, id, key } = await withAlice()
    panel.clock.jump(quarter)
    expect((await page.add(key)).code).toBe('confirm-password')
    await page.post('/user/auth/confirm', { password })
    expect((await page.add(key)).status).toBe(201)
    const linked = new Page(panel)
    await linked.browser.get((await panel.post(`/accounts/${id}/sso`)).body.url)
    await linked.get('/user/auth/session')
    expect((await linked.add(key)).code).toBe('confirm-password')
    await linked.post('/user/auth/confirm', { password })
    expect((await linked.add(key)).code).toBe('forbidden')
    const [{ id: passkey }] = (await page.get(own)).body.items
    expect((await linked.delete(`${own}/${passkey}`)).code).toBe('forbidden')
    const acting = new Page(panel)
    await acting.browser.get((await panel.post(`/accounts/${id}/login-as`)).body.url)
    await acting.get('/user/auth/session')
    await acting.post('/user/auth/confirm', { password })
    expect((await acting.add(key)).code).toBe('forbidden')
    expect((await page.get(own)).body.items).toHaveLength(1)
  })

  test('is refused where browsers have none: another name, an address, a self-signed certificate', async () => {
    const { page, key } = await withAlice()
    for (const host of ['198.51.100.1:7711', '[::1]:7711', 'evil.example', 'sub.host.example', '', 'host.example.'])
      expect([host, (await Object.assign(page, { host }).add(key)).code]).toEqual([host, 'not-configured'])
    const { page: pinned } = await withAlice({ pin: () => 'aa'.repeat(32) })
    expect((await pinned.add(key)).code).toBe('not-configured')
    expect((await pinned.post('/user/auth/login/passkey/start', {})).code).toBe('not-configured')
  })

  test('is refused from another origin, for another name, with another or an old challenge, or twice', async () => {
    const { panel, page, key } = await withAlice()
    for (const changed of [
      { origin: 'https://evil.example' },
      { origin: 'https://host.example:8443' },
      { origin: 'http://host.example' },
      { rpId: 'evil.example' },
    ])
      expect((await page.add(key, changed)).code).toBe('validation')
    const { body: options } = await page.post(`${own}/start`)
    const answered = { name: 'x', credential: key.create(options) }
    panel.clock.jump(5 * 60_000 + 1)
    expect((await page.post(own, answered)).body.fields).toHaveProperty('credential')
    const { body: fresh } = await page.post(`${own}/start`)
    const other = new Page(panel)
    await other.browser.signIn('alice', password)
    expect((await other.post(own, { name: 'x', credential: key.create(fresh) })).code).toBe('validation')
    expect((await page.post(own, { name: 'x', credential: key.create(fresh) })).status).toBe(201)
    expect((await page.post(own, { name: 'x', credential: key.create(fresh) })).code).toBe('validation')
    expect((await page.get(own)).body.items).toHaveLength(1)
  })

  test('takes no garbage', async () => {
    const { page, key } = await withAlice()
    const { body: options } = await page.post(`${own}/start`)
    const right = key.create(options)
    const response = (changed: Json) => ({ ...right, response: { ...right.response, ...changed } })
    for (const credential of [
      response({ attestationObject: 'AAAA' }),
      response({ attestationObject: 'o2NmbXQ' }),
      response({ clientDataJSON: Buffer.from('[]').toString('base64url') }),
      response({ clientDataJSON: 'AAAA' }),
      response({ clientDataJSON: 'A'.repeat(5000) }),
      { ...right, id: 'AAAA', rawId: 'AAAA' },
      { ...right, rawId: 'AAAA' },
      { ...right, id: 'a/b+c=' },
      { ...right, unknown: true },
      {},
    ])
      expect((await page.post(own, { name: 'x', credential })).code).toBe('validation')
    for (const name of ['', 'x'.repeat(65), 'a\nb', 'a\u001b[31mb'])
      expect((await page.post(own, { name, credential: right })).code).toBe('validation')
    expect((await page.get(own)).body.items).toEqual([])
  })

  test('is one of 20 at most', async () => {
    const { page } = await withAlice()
    const added: number[] = []
    for (let at = 0; at < 20; at++) added.push((await page.add(new Authenticator(), { name: `${at}` })).status)
    expect(new Set(added)).toEqual(new Set([201]))
    expect((await page.add(new Authenticator())).code).toBe('too-many')
  })

  test("needs the customer's feature", async () => {
    const { panel, page, key, id } = await withAlice()
    const list = (await panel.post('/feature-lists', { name: 'none', features: { two_factor: false } })).body
    const { package_id } = (await panel.get(`/accounts/${id}`)).body
    await panel.patch(`/packages/${package_id}`, { feature_list_id: list.id })
    await panel.settle()
    expect((await page.add(key)).code).toBe('feature-disabled')
  })

  test("is not another user's to see, rename or delete", async () => {
    const { panel, passkey } = await withPasskey()
    await panel.account('bob', { password })
    const bob = new Page(panel)
    await bob.browser.signIn('bob', password)
    expect((await bob.get(own)).body.items).toEqual([])
    expect((await bob.send('PATCH', `${own}/${passkey.id}`, { name: 'x' })).code).toBe('not-found')
    expect((await bob.delete(`${own}/${passkey.id}`)).code).toBe('not-found')
  })
})

describe('signing in with a passkey', () => {
  test('alone, works without a name or password, and counts as the second factor and as a confirmation', async () => {
    const { panel, key, visitor, id, passkey } = await withPasskey()
    await panel.patch('/server/settings', { two_factor_required: 'everyone' })
    const { status, body } = await visitor.use(key)
    expect([status, body.username, body.account_id, body.two_factor_setup_required]).toEqual([200, 'alice', id, false])
    expect((await visitor.post(`/accounts/${id}/tokens`, { name: 'new', scopes: ['read-only'] })).status).toBe(201)
    expect((await visitor.get(own)).body.items[0].last_used_at).toBe(panel.clock.now())
    const rows = (await panel.get('/audit?per_page=100')).body.items
    expect(rows.some((row: Json) => row.operation === 'completePasskeySignInUser' && row.actor.name === 'alice')).toBe(
      true,
    )
    expect(JSON.stringify(rows)).not.toContain(passkey.recovery_codes[0])
  })

  test('asks the same of a name that exists and one that does not, and names no passkey', async () => {
    const { visitor } = await withPasskey()
    const answers: Json[] = []
    for (const body of [{}, { username: 'alice' }, { username: 'nobody' }])
      answers.push((await visitor.post('/user/auth/login/passkey/start', body)).body)
    for (const { challenge, ...options } of answers)
      expect([options, challenge.length]).toEqual([
        { rpId: 'host.example', timeout: 300_000, userVerification: 'required', allowCredentials: [] },
        answers[0].challenge.length,
      ])
    expect(new Set(answers.map(({ challenge }) => challenge)).size).toBe(3)
  })

  test('alone, needs a device that verified its user; after the password, having it is enough', async () => {
    const { key, visitor } = await withPasskey()
    key.verifies = false
    expect((await visitor.use(key)).code).toBe('unauthenticated')
    const waiting = (await visitor.send('POST', '/user/auth/login', { username: 'alice', password })).body
    expect([waiting.mfa_required, waiting.authenticated, waiting.passkey_offered]).toEqual([true, false, true])
    const { body: options } = await visitor.post('/user/auth/login/passkey/start', {})
    expect([options.userVerification, options.allowCredentials.length]).toEqual(['preferred', 1])
    expect((await visitor.post('/user/auth/login/passkey', { credential: key.get(options) })).body.authenticated).toBe(
      true,
    )
    expect((await visitor.get(own)).status).toBe(200)
  })

  test("after the password, another user's passkey does not complete it", async () => {
    const { panel, visitor } = await withPasskey()
    await panel.account('bob', { password })
    const bob = new Page(panel)
    await bob.browser.signIn('bob', password)
    const key = new Authenticator()
    await bob.add(key)
    await visitor.send('POST', '/user/auth/login', { username: 'alice', password })
    const { body: options } = await visitor.post('/user/auth/login/passkey/start', {})
    const answer = key.get({ ...options, allowCredentials: [] })
    expect((await visitor.post('/user/auth/login/passkey', { credential: answer })).code).toBe('unauthenticated')
    expect((await visitor.get('/user/auth/session')).body.mfa_required).toBe(true)
  })

  test('refuses another origin, name or user, an old challenge, one used before, and a signature that is wrong', async () => {
    const { panel, key, visitor } = await withPasskey()
    const changes: Json[] = [
      { origin: 'https://evil.example' },
      { origin: 'https://sub.host.example' },
      { rpId: 'evil.example' },
      { user: Buffer.from('someone').toString('base64url') },
    ]
    for (const changed of changes) expect((await visitor.use(key, changed)).code).toBe('unauthenticated')
    const login = '/user/auth/login/passkey'
    const start = async () => (await visitor.post(`${login}/start`, {})).body
    const old = key.get(await start())
    panel.clock.jump(5 * 60_000 + 1)
    expect((await visitor.post(login, { credential: old })).code).toBe('unauthenticated')
    const wrong = key.get(await start())
    const signature = key.get(await start()).response.signature
    const forged = { ...wrong, response: { ...wrong.response, signature } }
    expect((await visitor.post(login, { credential: forged })).code).toBe('unauthenticated')
    const used = key.get(await start())
    expect((await visitor.post(login, { credential: used })).status).toBe(200)
    await visitor.post('/user/auth/logout')
    expect((await new Page(panel).post(login, { credential: used })).code).toBe('unauthenticated')
    expect((await new Page(panel).post('/auth/login/passkey', { credential: used })).code).toBe('unauthenticated')
  })

  test('refuses a challenge for something else', async () => {
    const { page, key, visitor } = await withPasskey()
    const { body: confirm } = await page.post('/user/auth/confirm/passkey/start')
    const credential = key.get(confirm)
    expect((await visitor.post('/user/auth/login/passkey', { credential })).code).toBe('unauthenticated')
    const pending = new Page(page.panel)
    await pending.browser.signIn('alice', password)
    const { body: options } = await pending.post('/user/auth/login/passkey/start', {})
    const other = key.get(options)
    expect((await visitor.post('/user/auth/login/passkey', { credential: other })).code).toBe('unauthenticated')
  })

  test('refuses a counter that does not rise, and says why; synced passkeys have none', async () => {
    const { key, visitor, panel } = await withPasskey()
    key.count = 5
    expect((await visitor.use(key)).status).toBe(200)
    key.count = 5
    const copied = await new Page(panel).use(key)
    expect([copied.code, copied.body.detail]).toEqual(['unauthenticated', expect.stringContaining('copied')])
    const { page } = await withAlice()
    const synced = Object.assign(new Authenticator(), { step: 0 })
    await page.add(synced)
    for (let at = 0; at < 2; at++) expect((await new Page(page.panel).use(synced)).status).toBe(200)
  })

  test('ends with the passkey, and with the account', async () => {
    const { panel, page, key, visitor, passkey, id } = await withPasskey()
    await panel.post(`/accounts/${id}/suspend`, { reason: 'unpaid' })
    await panel.settle()
    expect((await visitor.use(key)).code).toBe('account-suspended')
    await panel.post(`/accounts/${id}/unsuspend`)
    await panel.settle()
    const { body: options } = await visitor.post('/user/auth/login/passkey/start', {})
    expect((await page.delete(`${own}/${passkey.id}`)).status).toBe(204)
    expect((await visitor.post('/user/auth/login/passkey', { credential: key.get(options) })).code).toBe(
      'unauthenticated',
    )
    await page.add(key)
    await panel.delete(`/accounts/${id}?confirm=alice`)
    await panel.settle()
    const { db } = panel.store
    for (const table of ['passkeys', 'recovery_codes', 'two_factor'])
      expect(db.all(`SELECT * FROM ${table}`)).toEqual([])
  })

  test('is limited like passwords', async () => {
    const { key, visitor } = await withPasskey()
    const codes: (string | undefined)[] = []
    for (let at = 0; at < 11; at++) codes.push((await visitor.use(key, { origin: 'https://evil.example' })).code)
    expect(codes).toEqual([...Array(10).fill('unauthenticated'), 'rate-limited'])
  })

  test('refuses pages of other sites', async () => {
    const { visitor } = await withPasskey()
    const origin = { Origin: 'https://evil.example' }
    const path = '/user/auth/login/passkey/start'
    expect((await visitor.send('POST', path, {}, origin)).code).toBe('csrf')
    expect((await visitor.send('POST', path, {}, { Origin: `https://${Host}` })).status).toBe(200)
  })

  test("works on the brand's host name with a passkey of that name alone", async () => {
    const { panel, page, key } = await withPasskey()
    const { id } = await panel.account('rita', { password })
    await panel.post('/resellers', { account_id: id, acl: ['list-accts'] })
    const branded = await panel.patch(`/resellers/${id}`, { brand: { name: 'Rita', hostname: 'panel.rita.example' } })
    expect(branded.status).toBe(200)
    page.host = 'panel.rita.example'
    const brandKey = new Authenticator('https://panel.rita.example')
    expect((await page.add(brandKey)).body).toMatchObject({ rp_id: 'panel.rita.example', on_this_host: true })
    expect((await page.get(own)).body.items.map(({ on_this_host }: Json) => on_this_host)).toEqual([false, true])
    const visitor = Object.assign(new Page(panel), { host: 'panel.rita.example' })
    expect((await visitor.use(brandKey)).status).toBe(200)
    expect((await new Page(panel).use(brandKey)).code).toBe('unauthenticated')
    expect((await Object.assign(new Page(panel), { host: 'panel.rita.example' }).use(key)).code).toBe('unauthenticated')
  })

  test('works for root and for a reseller in both panels', async () => {
    const panel = await startPanel()
    await panel.put('/root/password', { new_password: password })
    const root = new Page(panel)
    await root.browser.signIn('root', password, 'admin')
    const key = new Authenticator()
    expect((await root.add(key, { path: '/auth/passkeys' })).status).toBe(201)
    const login = '/auth/login/passkey'
    expect((await new Page(panel).use(key, { path: login })).body.is_root).toBe(true)
    expect((await new Page(panel).use(key)).code).toBe('unauthenticated')
    const { id } = await panel.account('rita', { password })
    await panel.post('/resellers', { account_id: id, acl: ['list-accts'] })
    const rita = new Page(panel)
    await rita.browser.signIn('rita', password, 'admin')
    const second = new Authenticator()
    await rita.add(second, { path: '/auth/passkeys' })
    expect((await new Page(panel).use(second, { path: login })).body.role).toBe('reseller')
    expect((await new Page(panel).use(second)).body.role).toBe('customer')
  })

  test('sign in without naming the panel, root to the admin panel and a customer to its own', async () => {
    const { panel, id, visitor, key, page } = await withPasskey()
    const path = '/auth/sign-in/passkey'
    const signIn = async (from: Page, more = {}, changed = {}) => {
      const { body } = await from.post('/auth/login/passkey/start', {})
      return from.post(path, { credential: key.get(body, changed), ...more })
    }
    const entered = await signIn(visitor)
    expect([entered.status, entered.body.panel, entered.body.session.account_id]).toEqual([200, 'user', id])
    expect((await signIn(new Page(panel), { panel: 'admin' })).body.panel).toBe('user')
    expect((await signIn(new Page(panel), {}, { origin: 'https://evil.example' })).code).toBe('unauthenticated')
    key.verifies = false
    expect((await signIn(new Page(panel))).code).toBe('unauthenticated')
    key.verifies = true
    const { body } = await page.post('/user/auth/confirm/passkey/start')
    expect((await new Page(panel).post(path, { credential: key.get(body) })).code).toBe('unauthenticated')
    expect((await page.get(own)).body.rp_id).toBe('host.example')
    page.host = '198.51.100.1:7711'
    expect((await page.get(own)).body.rp_id).toBeUndefined()
  })
})

describe('confirming with a passkey', () => {
  test('replaces the password for 15 minutes', async () => {
    const { panel, page, key, id } = await withPasskey()
    const create = () => page.post(`/accounts/${id}/tokens`, { name: 'new', scopes: ['read-only'] })
    const path = '/user/auth/confirm/passkey'
    panel.clock.jump(quarter)
    expect((await create()).code).toBe('confirm-password')
    expect((await page.use(key, { path, origin: 'https://evil.example' })).code).toBe('validation')
    key.verifies = false
    expect((await page.use(key, { path })).code).toBe('validation')
    key.verifies = true
    expect((await create()).code).toBe('confirm-password')
    expect((await page.use(key, { path })).status).toBe(204)
    expect((await create()).status).toBe(201)
  })

  test("refuses another user's passkey", async () => {
    const { panel, key } = await withPasskey()
    await panel.account('bob', { password })
    const bob = new Page(panel)
    await bob.browser.signIn('bob', password)
    const { body: options } = await bob.post('/user/auth/confirm/passkey/start')
    expect(options.allowCredentials).toEqual([])
    expect((await bob.post('/user/auth/confirm/passkey', { credential: key.get(options) })).code).toBe('validation')
  })
})

describe('recovery codes', () => {
  const complete = (page: Page, code: string) => page.post('/user/auth/login/totp', { code })
  const begin = (page: Page) => page.post('/user/auth/login', { username: 'alice', password })

  test('of a passkey work once each, and no longer once they were replaced', async () => {
    const { page, visitor, passkey } = await withPasskey()
    const [first, second] = passkey.recovery_codes
    await begin(visitor)
    expect((await complete(visitor, first)).body.authenticated).toBe(true)
    await begin(visitor)
    expect((await complete(visitor, first)).code).toBe('unauthenticated')
    const { recovery_codes } = (await page.post('/user/auth/recovery-codes')).body
    expect(recovery_codes).toHaveLength(10)
    expect((await complete(visitor, second)).code).toBe('unauthenticated')
    expect((await complete(visitor, recovery_codes[0])).status).toBe(200)
  })

  test('need a second factor, and end with the last one', async () => {
    const { panel, page, passkey } = await withPasskey()
    const { secret } = (await page.post('/user/auth/totp/setup')).body
    const code = () => generateSync({ secret, epoch: Math.floor(panel.clock.now() / 1000) })
    const { recovery_codes } = (await page.post('/user/auth/totp/enable', { code: code() })).body
    await page.delete(`${own}/${passkey.id}`)
    const visitor = new Page(panel)
    expect((await begin(visitor)).body.passkey_offered).toBeUndefined()
    expect((await complete(visitor, recovery_codes[0])).status).toBe(200)
    panel.clock.jump(30_000)
    expect((await page.post('/user/auth/totp/disable', { code: code() })).status).toBe(204)
    expect((await page.post('/user/auth/recovery-codes')).code).toBe('not-configured')
    expect((await begin(new Page(panel))).body.authenticated).toBe(true)
  })

  test('do not turn off an authenticator that is not set up', async () => {
    const { page, passkey } = await withPasskey()
    const [code] = passkey.recovery_codes
    expect((await page.post('/user/auth/totp/disable', { code })).code).toBe('validation')
    const visitor = new Page(page.panel)
    await begin(visitor)
    expect((await complete(visitor, code)).status).toBe(200)
  })
})
