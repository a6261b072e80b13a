import { expect, test } from 'vitest'
import { domainsIn, host, nothing, occurred, problem, withAlice } from './fixtures.ts'

test('an account has its main domain', async () => {
  const { panel, alice, path } = await withAlice()
  const { items, total } = (await panel.get(path)).body
  expect(total).toBe(1)
  expect(items).toEqual([
    {
      id: items[0].id,
      account_id: alice.id,
      name: 'alice.example',
      name_unicode: 'alice.example',
      kind: 'main',
      names: ['alice.example', 'www.alice.example'],
      document_root: 'sites/alice.example/public',
      handler: 'php',
      https_redirect: false,
      zone_id: items[0].zone_id,
      autossl: { enabled: true, challenge: 'http-01' },
      certificate: {
        id: expect.any(String),
        kind: 'self_signed',
        not_after: expect.any(Number),
        status: 'valid',
        trusted: false,
      },
      verified: true,
      verified_by: 'root',
      verified_at: alice.created_at,
      security_headers: true,
      effective_php_version: '8.4',
      status: 'active',
      created_at: alice.created_at,
      updated_at: alice.created_at,
    },
  ])
})

test.each([
  ['shop.example,', 'shop.example'],
  [' Shop.Example., ', 'shop.example'],
  ['https://shop.example/cart?x=1', 'shop.example'],
  ['shop.example;', 'shop.example'],
  ['shop.example..', undefined],
  ['shop,example', undefined],
  ['a.example,b.example', undefined],
  [',', undefined],
])('takes the pasted name %j as %s', async (name, expected) => {
  const { ask } = await withAlice()
  const made = await ask(name)
  if (expected) expect([made.status, made.body.domain.name]).toEqual([202, expected])
  else expect(problem(made)).toEqual([400, 'validation', 'name'])
})

test('an addon domain is created by a job, and served', async () => {
  const { panel, alice, ask, path } = await withAlice()
  const made = await ask('Bücher.example')
  expect([made.status, made.body.domain]).toMatchObject([
    202,
    { name: 'xn--bcher-kva.example', name_unicode: 'bücher.example', kind: 'addon', status: 'provisioning' },
  ])
  expect(await occurred(panel)).toEqual({
    events: ['domain.created', 'dns.zone.created', 'job.completed'],
    jobs: ['domain.create succeeded'],
  })
  expect((await panel.get(`${path}/${made.body.domain.id}`)).body.status).toBe('active')
  expect(host(panel).vhost('xn--bcher-kva.example')).toContain(
    'server_name xn--bcher-kva.example www.xn--bcher-kva.example;',
  )
  expect(host(panel).has('home/alice/sites/xn--bcher-kva.example/public')).toBe(true)
  const [event] = (await panel.get(`/accounts/${alice.id}/events?type=domain.created`)).body.items
  expect(event.data).toMatchObject({ object_id: made.body.domain.id, details: { domain: 'xn--bcher-kva.example' } })
})

test('one name is one domain, however it is spelled', async () => {
  const { panel, ask } = await withAlice()
  expect((await ask('bücher.example')).status).toBe(202)
  await panel.settle()
  panel.forget()
  for (const again of ['BÜCHER.example', 'xn--bcher-kva.example', 'www.bücher.example'])
    expect(problem(await ask(again))).toEqual([409, 'exists', 'name'])
})

test.each([
  'xn--a.example',
  `${'a'.repeat(64)}.example`,
  `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(31)}.example`,
  'a..b.example',
  '_x.example',
  '1.2.3.4',
  'co.uk',
  'host.example',
  'webmail.host.example',
  'a.*.alice.example',
  '*.other.example',
  '*.co.uk',
  '*alice.example',
])('%s is not a valid domain name', async (name) => {
  const { panel, ask } = await withAlice()
  expect(problem(await ask(name))).toEqual([400, 'validation', 'name'])
  expect(await occurred(panel)).toEqual(nothing)
})

test("only root may use a name above the server's", async () => {
  const { panel, alice, ask } = await withAlice({ hostname: 'panel.isp.example' })
  const token = await panel.token(['domains:write'], { account: alice.id })
  expect(problem(await ask('isp.example', {}, { token }))).toEqual([400, 'validation', 'name'])
  expect((await ask('isp.example')).status).toBe(202)
})

test('a wildcard is a subdomain', async () => {
  const { panel, domain, ask } = await withAlice()
  expect(await domain('*.alice.example')).toMatchObject({ kind: 'sub', names: ['*.alice.example'] })
  expect(host(panel).vhost('_wildcard.alice.example')).toContain('server_name *.alice.example;')
  const long = `*.${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(12)}.alice.example`
  expect(long).toHaveLength(220)
  expect((await ask(long)).status).toBe(202)
  expect(problem(await ask(long.replace('d.alice', 'dd.alice')))).toEqual([400, 'validation', 'name'])
})

test("only subdomains are allowed below one's own domains, and nowhere else", async () => {
  const { panel, ask, domain, named } = await withAlice()
  const main = await named('alice.example')
  expect(await domain('blog.alice.example')).toMatchObject({ kind: 'sub', parent_id: main.id })
  expect(await domain('a.blog.alice.example')).toMatchObject({ kind: 'sub', parent_id: main.id })
  expect(await domain('alice.test', { kind: 'parked' })).toMatchObject({
    kind: 'parked',
    parent_id: main.id,
    document_root: 'sites/alice.example/public',
  })
  for (const [name, fields, field] of [
    ['x.alice.example', { kind: 'addon' }, 'kind'],
    ['x.alice.test', { kind: 'parked' }, 'kind'],
    ['shop.example', { kind: 'sub' }, 'kind'],
    ['shop.example', { kind: 'main' }, 'kind'],
    ['shop.example', { parent_id: main.id }, 'parent_id'],
    ['shop.example', { kind: 'parked', parent_id: (await named('blog.alice.example')).id }, 'parent_id'],
    ['shop.example', { kind: 'parked', document_root: 'sites/x' }, 'document_root'],
    ['shop.example', { kind: 'parked', handler: 'static' }, 'handler'],
    ['shop.example', { handler: 'app' }, 'app_id'],
    ['shop.example', { app_id: main.id }, 'app_id'],
  ] as const)
    expect([name, ...problem(await ask(name, fields))]).toEqual([name, 400, 'validation', field])
  expect(await occurred(panel)).toEqual(nothing)
})

test("another account's domain cannot be taken", async () => {
  const { panel, alice, ask } = await withAlice()
  const bob = await panel.account('bob')
  const bobs = domainsIn(panel, bob.id)
  await bobs.domain('shop.isp.example')
  const token = await panel.token(['domains:write'], { account: alice.id })
  for (const name of ['bob.example', 'www.bob.example', 'shop.bob.example', 'isp.example'])
    expect([name, ...problem(await ask(name, {}, { token }))]).toEqual([name, 409, 'exists', 'name'])
  const theirs = (await bobs.named('bob.example')).id
  expect(problem(await panel.get(`/accounts/${alice.id}/domains/${theirs}`))).toEqual([404, 'not-found'])
  expect(await occurred(panel)).toEqual(nothing)
  expect((await ask('isp.example')).status).toBe(202)
})

test('an account requests its main domain like any other', async () => {
  const { panel, alice, domain } = await withAlice()
  await domain('shop.example')
  await domain('a.b.example')
  const reply = await panel.post('/accounts', { username: 'carol', domain: 'x.shop.example' })
  expect(problem(reply)).toEqual([400, 'validation', 'domain'])
  const check = async (name: string) => (await panel.get(`/accounts-check?domain=${name}`)).body.domain.available
  expect([await check('shop.example'), await check('www.shop.example'), await check('free.example')]).toEqual([
    false,
    false,
    true,
  ])
  expect(problem(await panel.patch(`/accounts/${alice.id}`, { domain: 'shop.example' }))).toEqual([
    400,
    'validation',
    'domain',
  ])
  expect(await occurred(panel)).toEqual(nothing)
})

test.each(['../bob', '/etc', 'sites/../x', 'sites/.ssh', 'sites/a b', 'mail/x', 'sites/x;}', 'sites', 'sites//x'])(
  'no site may be at %s',
  async (document_root) => {
    const { panel, ask } = await withAlice()
    expect(problem(await ask('shop.example', { document_root }))).toEqual([400, 'validation', 'document_root'])
    expect(await occurred(panel)).toEqual(nothing)
  },
)

test('limits count rows, and of two concurrent requests one wins', async () => {
  const { panel, alice, ask } = await withAlice()
  await panel.patch(`/accounts/${alice.id}`, { max_sub: 1, max_addon: 0 })
  await occurred(panel)
  expect(problem(await ask('shop.example'))).toEqual([409, 'limit-reached', 'max_addon'])
  const both = await Promise.all([ask('a.alice.example'), ask('b.alice.example')])
  expect(both.map(problem)).toEqual([
    [202, undefined],
    [409, 'limit-reached', 'max_sub'],
  ])
  expect(await occurred(panel)).toEqual({
    events: ['domain.created', 'dns.record.created', 'job.completed'],
    jobs: ['domain.create succeeded'],
  })
  const usage = (await panel.get(`/accounts/${alice.id}/usage`)).body
  expect([usage.sub_domains, usage.addon_domains]).toEqual([
    { used: 1, limit: 1 },
    { used: 0, limit: 0 },
  ])
})

test('a kind of domain needs its feature, which is checked before duplicates', async () => {
  const { panel, alice, ask } = await withAlice()
  const list = (await panel.get(`/feature-lists/${alice.feature_list_id}`)).body
  await panel.patch(`/feature-lists/${list.id}`, { features: { ...list.features, addon_domains: false } })
  panel.forget()
  expect(problem(await ask('alice.example'))).toEqual([403, 'feature-disabled'])
  expect(problem(await ask('shop.example', { document_root: '/etc' }))).toEqual([400, 'validation', 'document_root'])
  expect((await ask('blog.alice.example')).status).toBe(202)
})

test('new domains get the handler that the settings name', async () => {
  const { panel, ask, domain, named } = await withAlice()
  expect((await panel.get('/settings')).body.default_handler).toBe('php')
  expect(problem(await panel.patch('/settings', { default_handler: 'cgi' }))).toEqual([
    400,
    'validation',
    'default_handler',
  ])
  await panel.patch('/settings', { default_handler: 'php-front' })
  expect((await domain('shop.example')).handler).toBe('php-front')
  expect((await ask('other.example', { handler: 'static' })).body.domain.handler).toBe('static')
  expect((await named('alice.example')).handler).toBe('php')
  const bob = await panel.account('bob')
  expect((await panel.get(`/accounts/${bob.id}/domains`)).body.items[0].handler).toBe('php-front')
  await panel.patch('/settings', { default_handler: null })
  expect((await panel.get('/settings')).body.default_handler).toBe('php')
})
