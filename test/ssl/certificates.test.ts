import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import { WrappedDriver } from '../drivers.ts'
import type { Json } from '../harness.ts'
import { exhaust, expectDeclared, host, nothing, occurred, problem, withShop } from './fixtures.ts'
import { certificate, file, newKey, openssl, threeLevels } from './openssl.ts'

const day = 86_400_000

test('every domain has a self-signed certificate, created by the job that creates the domain', async () => {
  const { panel, alice, certificates, used, shop, domain, path } = await withShop()
  const { items, total } = (await panel.get(certificates)).body
  expect(total).toBe(2)
  expect(items.map((one: Json) => [one.domain, one.kind, one.domains, one.status, one.trusted])).toEqual([
    ['alice.example', 'self_signed', ['alice.example', 'www.alice.example'], 'valid', false],
    ['shop.example', 'self_signed', ['shop.example', 'www.shop.example'], 'valid', false],
  ])
  expect(await used()).toMatchObject({
    domain_id: shop.id,
    key_type: 'ec-p256',
    subject: 'CN=shop.example',
    issuer: 'CN=shop.example',
    uncovered: [],
    fingerprint_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  const { id, not_after } = await used()
  expect((await panel.get(`${path}/${shop.id}`)).body.certificate).toEqual({
    id,
    kind: 'self_signed',
    not_after,
    status: 'valid',
    trusted: false,
  })
  await domain('*.shop.example')
  const [owner, ...pem] = readFileSync(host(panel).path('etc/panel/tls/_wildcard.shop.example.crt'), 'utf8').split('\n')
  expect(owner).toBe(`# panel account ${alice.id}`)
  expect(new X509Certificate(pem.join('\n')).subjectAltName).toBe('DNS:*.shop.example')
  expect(host(panel).vhost('shop.example')).toContain('  ssl_certificate /etc/panel/tls/shop.example.crt;')
  expect([0o644, 0o600]).toEqual(
    ['crt', 'key'].map((end) => statSync(host(panel).path(`etc/panel/tls/shop.example.${end}`)).mode & 0o777),
  )
})

test('a reversed chain with its root is stored leaf first without it, and no response has the key', async () => {
  const { panel, alice, install, certificates, used } = await withShop()
  const { leaf, intermediate, root } = threeLevels()
  const reply = await install({ ...leaf, ca_bundle: root.certificate + intermediate.certificate })
  expect(reply.status).toBe(202)
  expect(await occurred(panel)).toEqual({
    events: ['ssl.installed', 'job.completed'],
    jobs: ['ssl.install succeeded'],
  })
  const written = readFileSync(host(panel).path('etc/panel/tls/shop.example.crt'), 'utf8')
  expect(written).toBe(`# panel account ${alice.id}\n${leaf.certificate}${intermediate.certificate}`)
  const key = readFileSync(host(panel).path('etc/panel/tls/shop.example.key'), 'utf8')
  expect(key).toBe(`# panel account ${alice.id}\n${leaf.key}`)
  const { id, ...visible } = await used()
  expect(visible).toMatchObject({ kind: 'custom', issuer: 'CN=Test Intermediate', trusted: false, status: 'valid' })
  const full = (await panel.get(`${certificates}/${id}`)).body
  expect(full).toEqual({ id, ...visible, certificate: leaf.certificate, ca_bundle: intermediate.certificate })
  const [event] = (await panel.get(`/accounts/${alice.id}/events?type=ssl.installed`)).body.items
  expect(event.data).toMatchObject({
    object: 'certificate',
    object_id: id,
    details: { domains: leafNames, not_after: visible.not_after },
  })
  const received = JSON.stringify([
    reply.body,
    full,
    (await panel.get('/events')).body,
    (await panel.get('/jobs')).body,
    (await panel.get('/audit')).body,
    panel.logged,
  ])
  expect(received).not.toContain(leaf.key.split('\n')[1])
  expect(received).not.toContain('PRIVATE')
})
const leafNames = ['shop.example', 'www.shop.example']

test('a refused certificate leaves the site as it is', async () => {
  const { panel, install, used, shop, certificates } = await withShop()
  const isInstalled = async () => [await used(), host(panel).vhost('shop.example')]
  const before = await isInstalled()
  const made = certificate()
  const authority = certificate({ subject: '/CN=Other', ca: true })
  const encrypted = openssl('pkey', '-in', file(made.key), '-aes256', '-passout', 'pass:secret')
  for (const [body, field] of [
    [{ ...made, key: newKey() }, 'private_key'],
    [{ ...made, key: encrypted }, 'private_key'],
    [certificate({ key: newKey('rsa1024') }), 'certificate'],
    [certificate({ hash: 'sha1' }), 'certificate'],
    [{ ...made, certificate: authority.certificate + made.certificate }, 'certificate'],
    [{ certificate: made.certificate }, 'private_key'],
    [certificate({ to: '20260110000000Z' }), 'certificate'],
    [certificate({ names: ['other.example'] }), 'certificate'],
    [{ ...made, certificate: made.certificate.replace('MII', 'M!I') }, 'certificate'],
    [{ ...made, ca_bundle: authority.certificate }, 'ca_bundle'],
  ] as const)
    expect(problem(await install(body))).toEqual([400, 'validation', field])
  const other = await panel.post(certificates, { domain_id: shop.account_id, certificate: 'x' })
  expect(problem(other)).toEqual([400, 'validation', 'domain_id'])
  expect(await occurred(panel)).toEqual(nothing)
  expect(await isInstalled()).toEqual(before)
})

test('a site redirects visitors to https:// while its certificate is not self-signed', async () => {
  const { panel, path, shop, install, used, certificates } = await withShop()
  const sends = () => host(panel).vhost('shop.example').includes('return 301 https://$host$request_uri;')
  await panel.patch(`${path}/${shop.id}`, { https_redirect: true })
  await panel.settle()
  expect(sends()).toBe(false)
  await install(certificate())
  await panel.settle()
  expect(sends()).toBe(true)
  await panel.delete(`${certificates}/${(await used()).id}`)
  await panel.settle()
  expect(sends()).toBe(false)
})

test('the certificate in use is not installed again; another one replaces it, and its id is gone', async () => {
  const { panel, install, used, certificates } = await withShop()
  const first = certificate()
  await install(first)
  await panel.settle()
  panel.forget()
  const { id } = await used()
  expect(problem(await install(first))).toEqual([409, 'exists', 'certificate'])
  expect(await occurred(panel)).toEqual(nothing)
  expect(problem(await install({ ...first, certificate: `${first.certificate}\nmy certificate` }))).toEqual([
    409,
    'exists',
    'certificate',
  ])
  const renewed = certificate({ key: first.key })
  expect((await install({ certificate: renewed.certificate })).status).toBe(202)
  expect(await occurred(panel)).toEqual({ events: ['ssl.installed', 'job.completed'], jobs: ['ssl.install succeeded'] })
  expect(problem(await panel.get(`${certificates}/${id}`))).toEqual([404, 'not-found'])
})

test('the same certificate with its chain replaces the one without, which was warned of', async () => {
  const { panel, install, used } = await withShop()
  const { leaf, intermediate } = threeLevels()
  const alone = await install(leaf)
  expect([alone.status, alone.body.warnings]).toEqual([
    202,
    [expect.stringMatching(/^The chain is missing: .* CN=Test Intermediate /)],
  ])
  await panel.settle()
  const bundle = await install({ ...leaf, ca_bundle: intermediate.certificate })
  expect([bundle.status, bundle.body.warnings]).toEqual([202, undefined])
  await panel.settle()
  const both = { ...leaf, certificate: leaf.certificate + intermediate.certificate }
  expect((await install({ ...leaf, ca_bundle: intermediate.certificate })).status).toBe(202)
  await panel.settle()
  const { id } = await used()
  for (const again of [both, leaf]) expect(problem(await install(again))).toEqual([409, 'exists', 'certificate'])
  expect((await used()).id).toBe(id)
})

test('an uninstalled certificate is replaced by a self-signed one, which stays', async () => {
  const { panel, install, used, certificates } = await withShop()
  await install(certificate())
  await panel.settle()
  panel.forget()
  const { id } = await used()
  const reply = await panel.delete(`${certificates}/${id}`)
  expect([reply.status, reply.body.certificate.id]).toEqual([202, id])
  expect(await occurred(panel)).toEqual({
    events: ['ssl.uninstalled', 'job.completed'],
    jobs: ['ssl.uninstall succeeded'],
  })
  expect((await used()).kind).toBe('self_signed')
  expect(problem(await panel.delete(`${certificates}/${(await used()).id}`))).toEqual([409, 'in-use'])
  expect(await occurred(panel)).toEqual(nothing)
})

test('what fails for good leaves the previous certificate in use', async () => {
  let broken = false
  const { panel, install, used } = await withShop({
    driver(root) {
      const driver = createDirectoryDriver({ root })
      const apply: typeof driver.apply = (state, options) => {
        const keys = JSON.stringify(state.accounts.map(({ parts }) => parts.tls))
        return broken && keys.includes(bad) ? Promise.reject(new Error('no space')) : driver.apply(state, options)
      }
      return Object.assign(new WrappedDriver(driver), { apply })
    },
  })
  const former = await used()
  const wrong = certificate()
  const bad = JSON.stringify(wrong.certificate).slice(1, -1)
  broken = true
  expect((await install(wrong)).status).toBe(202)
  await exhaust(panel)
  expect(await occurred(panel)).toEqual({ events: ['ssl.installed', 'job.failed'], jobs: ['ssl.install failed'] })
  expect(await used()).toEqual(former)
})

test('a signing request keeps its key here, and the resulting certificate needs none', async () => {
  const { panel, base, shop, install, used } = await withShop()
  const made = await panel.post(`${base}/csrs`, { domain_id: shop.id, organization: 'Shop', country: 'DE' })
  expect(made.status).toBe(201)
  expect(made.body).toMatchObject({ domain: 'shop.example', names: leafNames, key_type: 'ec-p256' })
  const request = file(made.body.csr)
  expect(openssl('req', '-in', request, '-noout', '-verify', '-text')).toContain(
    'DNS:shop.example, DNS:www.shop.example',
  )
  const { certificate: signed } = certificate({ request: made.body.csr, issuer: threeLevels().root })
  panel.forget()
  expect((await install({ certificate: signed })).status).toBe(202)
  expect(await occurred(panel)).toEqual({ events: ['ssl.installed', 'job.completed'], jobs: ['ssl.install succeeded'] })
  expect((await used()).kind).toBe('custom')
  expect((await panel.get(`${base}/csrs`)).body.items).toEqual([made.body])
  expect((await panel.delete(`${base}/csrs/${made.body.id}`)).status).toBe(204)
  expect(problem(await panel.get(`${base}/csrs/${made.body.id}`))).toEqual([404, 'not-found'])
})

test('a signing request covers names of the account, including its domain, and at most twenty', async () => {
  const { panel, base, shop } = await withShop()
  await panel.account('bob')
  const ask = (fields: object) => panel.post(`${base}/csrs`, { domain_id: shop.id, ...fields })
  panel.forget()
  for (const names of [
    ['www.shop.example'],
    ['shop.example', 'bob.example'],
    ['shop.example', 'x.bob.example'],
    ['shop.example', 'a b'],
  ])
    expect(problem(await ask({ names }))).toEqual([400, 'validation', 'names'])
  expect((await ask({ names: ['shop.example', 'bob.example'] })).body.fields.names).toMatch(/^item 2 /)
  for (const fields of [
    { organization: '#0500' },
    { organization: 'a\nb' },
    { country: 'Germany' },
    { key_type: 'dsa' },
  ])
    expect(problem(await ask(fields))).toEqual([400, 'validation', Object.keys(fields)[0]])
  expect((await ask({ names: ['shop.example', '*.shop.example', 'alice.example'], key_type: 'rsa-2048' })).status).toBe(
    201,
  )
  for (let n = 1; n < 20; n++) expect((await ask({})).status).toBe(201)
  expect(problem(await ask({}))).toEqual([409, 'too-many'])
  expect(await occurred(panel)).toEqual(nothing)
})

test('lists are filtered by status and domain', async () => {
  const { panel, install, certificates } = await withShop()
  await install(certificate({ from: '20251001000000Z', to: '20260120000000Z' }))
  await panel.settle()
  const names = async (query: string) =>
    (await panel.get(`${certificates}?${query}`)).body.items.map((one: Json) => one.domain)
  expect(await names('status=expiring')).toEqual(['shop.example'])
  expect(await names('status=valid')).toEqual(['alice.example'])
  expect(await names('q=shop')).toEqual(['shop.example'])
  panel.clock.jump(10 * day)
  expect(await names('status=expired')).toEqual(['shop.example'])
  expect((await panel.get(`${certificates}?status=bad`)).status).toBe(400)
})

test('replaces certificates that no longer match a new main domain with self-signed ones', async () => {
  const { panel, alice, named, certificates } = await withShop()
  const main = await named('alice.example')
  const made = certificate({ names: ['alice.example'] })
  await panel.post(certificates, { domain_id: main.id, certificate: made.certificate, private_key: made.key })
  await panel.settle()
  panel.forget()
  await panel.patch(`/accounts/${alice.id}`, { domain: 'alicia.example' })
  expect(await occurred(panel)).toEqual({
    events: ['account.domain_changed', 'ssl.uninstalled', 'job.completed'],
    jobs: ['account.update succeeded'],
  })
  const [first] = (await panel.get(certificates)).body.items.filter((one: Json) => one.domain_id === main.id)
  expect(first).toMatchObject({
    domain: 'alicia.example',
    kind: 'self_signed',
    domains: ['alicia.example', 'www.alicia.example'],
    uncovered: [],
  })
  expect(host(panel).has('etc/panel/tls/alice.example.key')).toBe(false)
  expect(host(panel).has('etc/panel/tls/alicia.example.key')).toBe(true)
})

test('a certificate is deleted with its domain, and emits an event unless it is self-signed', async () => {
  const { panel, shop, path, install } = await withShop()
  await install(certificate())
  await panel.settle()
  panel.forget()
  await panel.delete(`${path}/${shop.id}`)
  expect(await occurred(panel)).toEqual({
    events: ['ssl.uninstalled', 'dns.zone.deleted', 'domain.deleted', 'job.completed'],
    jobs: ['domain.delete succeeded'],
  })
  expect(await expectDeclared(panel)).toEqual(['ssl.installed', 'ssl.uninstalled'])
  expect(host(panel).has('etc/panel/tls/shop.example.key')).toBe(false)
  expect(panel.store.sqlite.prepare('SELECT count(*) FROM certificates').pluck().get()).toBe(1)
})

test('a self-signed certificate is renewed before it expires, and a missing one is created', async () => {
  const { panel, used } = await withShop()
  const before = await used()
  const lost = "DELETE FROM certificates WHERE domains LIKE '%alice.example%'"
  await panel.store.change(() => void panel.store.sqlite.prepare(lost).run())
  panel.clock.jump(before.not_after - 20 * day - panel.clock.now())
  await panel.clock.advance(60_000)
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['account.update succeeded'] })
  const after = await used()
  expect(after.not_after).toBeGreaterThan(before.not_after)
  expect(host(panel).has('etc/panel/tls/alice.example.crt')).toBe(true)
  await panel.clock.advance(600_000)
  expect(await occurred(panel)).toEqual(nothing)
})

test('a certificate needs its feature to be installed, but not to be seen or uninstalled', async () => {
  const { panel, alice, install, used, certificates } = await withShop()
  await install(certificate())
  await panel.settle()
  const list = (await panel.get(`/feature-lists/${alice.feature_list_id}`)).body
  await panel.patch(`/feature-lists/${list.id}`, { features: { ...list.features, ssl_install: false } })
  panel.forget()
  expect(problem(await install(certificate()))).toEqual([403, 'feature-disabled'])
  expect((await panel.delete(`${certificates}/${(await used()).id}`)).status).toBe(202)
})
