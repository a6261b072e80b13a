import { expect, test } from 'vitest'
import type { Json } from '../harness.ts'
import { nothing, occurred, problem, withShop } from './fixtures.ts'
import { certificate } from './openssl.ts'

const hour = 3_600_000
const minute = 60_000
const failed = { events: ['job.failed'], jobs: ['ssl.issue failed'] }
/** An address without a listener. */
const nobody = 'http://127.0.0.1:1/directory'

async function withAutossl(settings: object = { acme_directory_url: nobody }) {
  const input = await withShop()
  const { panel, path } = input
  const main = await input.named('alice.example')
  expect((await panel.patch('/settings', settings)).status).toBe(200)
  await panel.put(`${path}/${main.id}/autossl`, { enabled: false })
  panel.forget()
  const tick = async (ms = minute) => {
    await panel.clock.advance(ms)
    // A refused connection takes real time, which the clock does not measure.
    const open = panel.store.sqlite.prepare(
      "SELECT 1 FROM jobs WHERE status IN ('queued', 'leased', 'running') LIMIT 1",
    )
    while (open.get()) await panel.settle()
    return occurred(panel)
  }
  const autossl = async (): Promise<Json> => (await panel.get(`${path}/${input.shop.id}`)).body.autossl
  return { ...input, main, tick, autossl }
}

test('failures are retried after 1, 4, 12 and every 24 hours, and report why', async () => {
  const { panel, tick, autossl, used } = await withAutossl()
  const before = await used()
  for (const hours of [1, 4, 12, 24, 24]) {
    expect(await tick()).toEqual(failed)
    const { last_attempt_at, next_attempt_at, ...output } = await autossl()
    expect(output).toEqual({
      enabled: true,
      challenge: 'http-01',
      last_error: 'The certificate authority could not be reached.',
    })
    expect(next_attempt_at - last_attempt_at).toBe(hours * hour)
    panel.clock.jump(next_attempt_at - panel.clock.now() - 2 * minute)
    expect(await tick()).toEqual(nothing)
  }
  expect(await used()).toEqual(before)
  const [job] = (await panel.get('/jobs?kind=ssl.issue')).body.items
  const [event] = (await panel.get('/events?type=job.failed')).body.items
  expect(event.data).toMatchObject({ kind: 'ssl.issue', error: 'The certificate authority could not be reached.' })
  expect(job.status).toBe('failed')
  expect((await panel.get('/audit')).body.items.map(({ actor }: Json) => actor.type)).not.toContain('system')
})

test('a new choice is tried at once; off, custom or without the feature never', async () => {
  const { panel, alice, path, shop, tick, autossl, install } = await withAutossl()
  const set = (body: object) => panel.put(`${path}/${shop.id}/autossl`, body)
  expect((await set({ enabled: false })).body.autossl).toEqual({ enabled: false, challenge: 'http-01' })
  expect(await tick()).toEqual(nothing)
  expect((await set({ enabled: true, challenge: 'dns-01' })).body.autossl.challenge).toBe('dns-01')
  expect(await tick()).toEqual(failed)
  expect(await tick()).toEqual(nothing)
  await set({ enabled: true })
  expect(await tick()).toEqual(failed)
  await set({ enabled: false })
  expect((await autossl()).next_attempt_at).toBeUndefined()
  await set({ enabled: true })
  const list = (await panel.get(`/feature-lists/${alice.feature_list_id}`)).body
  await panel.patch(`/feature-lists/${list.id}`, { features: { ...list.features, auto_ssl: false } })
  expect(await tick()).toEqual(nothing)
  expect(problem(await set({ enabled: true }))).toEqual([403, 'feature-disabled'])
  await panel.patch(`/feature-lists/${list.id}`, { features: { ...list.features, auto_ssl: true } })
  await install(certificate({ to: '20260116000000Z' }))
  await occurred(panel)
  expect(await tick()).toEqual({ events: ['ssl.expiring'], jobs: [] })
  panel.clock.jump(72 * hour)
  expect(await tick()).toEqual({ events: ['ssl.expiring'], jobs: [] })
})

test('an own certificate is never taken over by itself: not while it is valid, near its end or after it', async () => {
  const { panel, path, base, shop, tick, install, used } = await withAutossl()
  await panel.put(`${path}/${shop.id}/autossl`, { enabled: true })
  const own = certificate({ to: '20260316000000Z' })
  await install(own)
  await occurred(panel)
  const end = Date.UTC(2026, 2, 16)
  const seen: string[] = []
  for (const days of [40, 30, 14, 7, 2, 0, -1, -60]) {
    panel.clock.jump(end - days * 24 * hour - panel.clock.now() + 1)
    const { events, jobs } = await tick()
    seen.push(`${days}: ${[...events, ...jobs].join()}`)
  }
  expect(seen).toEqual(['40: ', ...[30, 14, 7, 2, 0].map((days) => `${days}: ssl.expiring`), '-1: ', '-60: '])
  expect((await used()).kind).toBe('custom')
  const [notice] = (await panel.get('/notices')).body.items.filter((one: Json) => one.kind === 'certificate-expiring')
  expect(notice.detail).toContain('panel ssl issue shop.example -a alice')
  expect((await panel.post(`${base}/issue`, { domain_id: shop.id })).status).toBe(202)
  expect(await tick()).toEqual(failed)
})

test('many domains are started at once', async () => {
  const { panel, domain, alice } = await withAutossl({ acme_directory_url: null })
  for (let n = 0; n < 11; n++) await domain(`d${n}.shop.example`, { handler: 'static' })
  await panel.patch('/settings', { acme_directory_url: nobody })
  await panel.clock.advance(minute)
  expect((await panel.get(`/accounts/${alice.id}/jobs?kind=ssl.issue`)).body.total).toBe(12)
})

test('a suspended account keeps getting certificates; its customer may not request any', async () => {
  const { panel, alice, tick, base, shop } = await withAutossl()
  const own = await panel.token(['ssl:write'], { account: alice.id })
  await panel.post(`/accounts/${alice.id}/suspend`, { reason: 'unpaid' })
  await panel.settle()
  panel.forget()
  expect(await tick()).toEqual(failed)
  const requests = await panel.post(`${base}/issue`, { domain_id: shop.id }, { token: own, from: '192.0.2.1' })
  expect(problem(requests)).toEqual([403, 'account-suspended'])
})

test('a wildcard is validated through its zone, and never without one', async () => {
  const { panel, alice, path, shop, domain, tick } = await withAutossl()
  await panel.put(`${path}/${shop.id}/autossl`, { enabled: false })
  const wildcard = await domain('*.shop.example')
  expect(wildcard.autossl).toEqual({ enabled: true, challenge: 'dns-01' })
  const set = (body: object) => panel.put(`${path}/${wildcard.id}/autossl`, body)
  expect(problem(await set({ enabled: true, challenge: 'http-01' }))).toEqual([400, 'validation', 'challenge'])
  await panel.delete(`/accounts/${alice.id}/dns/zones/${shop.zone_id}`)
  await occurred(panel)
  expect(await tick()).toEqual(nothing)
  expect(problem(await set({ enabled: true }))).toEqual([400, 'validation', 'challenge'])
  expect((await set({ enabled: false })).status).toBe(200)
  expect((await set({ enabled: true, challenge: 'dns-01' })).body.fields.challenge).toMatch(/in no zone here$/)
})

test('without an authority nothing is issued, manually or automatically', async () => {
  const { panel, base, shop, tick } = await withAutossl({ acme_directory_url: null })
  expect(await tick()).toEqual(nothing)
  const issue = (body: object = {}) => panel.post(`${base}/issue`, { domain_id: shop.id, ...body })
  const refused = await issue()
  expect([...problem(refused), refused.body.detail]).toEqual([
    409,
    'not-configured',
    'This server has no certificate authority; root can set one (setting acme_directory_url).',
  ])
  for (const [body, field] of [
    [{ names: ['shop.example', '*.shop.example'], challenge: 'http-01' }, 'challenge'],
    [{ names: ['www.shop.example'] }, 'names'],
    [{ names: ['shop.example', 'bob.example'] }, 'names'],
    [{ names: [] }, 'names'],
    [{ key_type: 'rsa-1024' }, 'key_type'],
    [{ challenge: 'tls-alpn-01' }, 'challenge'],
    [{ domain_id: shop.account_id }, 'domain_id'],
  ] as const)
    expect(problem(await issue(body))).toEqual([400, 'validation', field])
  expect(await occurred(panel)).toEqual(nothing)
})

test('a domain that is being created waits for its site, then for its certificate', async () => {
  const { panel, base, ask } = await withAutossl()
  const { domain } = (await ask('new.example')).body
  expect((await panel.post(`${base}/issue`, { domain_id: domain.id })).status).toBe(202)
  const open = panel.store.sqlite.prepare("SELECT 1 FROM jobs WHERE status IN ('queued', 'leased', 'running') LIMIT 1")
  while (open.get()) await panel.settle()
  expect(panel.jobs()).toEqual(['domain.create succeeded', 'ssl.issue failed'])
})

test('settings accept only a plausible authority', async () => {
  const { panel } = await withAutossl({ acme_directory_url: null })
  const before = (await panel.get('/settings')).body
  expect(before).toMatchObject({
    acme_directory_url: null,
    acme_contact_email: null,
    acme_ca: null,
    autossl_default: true,
  })
  for (const [name, value] of [
    ['acme_directory_url', 'http://ca.example/dir'],
    ['acme_directory_url', 'ftp://ca.example/dir'],
    ['acme_directory_url', 'https://user:pass@ca.example/dir'],
    ['acme_directory_url', 'nothing'],
    ['acme_contact_email', 'nobody'],
    ['acme_ca', 'nothing'],
    ['acme_ca', certificate().key],
    ['acme_ca', certificate().certificate.replace('END', 'ENDE')],
    ['autossl_default', null],
  ] as const)
    expect(problem(await panel.patch('/settings', { [name]: value }))).toEqual([400, 'validation', name])
  expect((await panel.get('/settings')).body).toEqual(before)
  const set = {
    acme_directory_url: 'https://ca.example/dir',
    acme_contact_email: 'admin@host.example',
    acme_ca: certificate().certificate,
    autossl_default: false,
  }
  expect((await panel.patch('/settings', set)).body).toEqual({ ...before, ...set })
  const reset = await panel.patch('/settings', { acme_ca: null, acme_directory_url: null, acme_contact_email: null })
  expect(reset.body).toEqual({ ...before, autossl_default: false })
})
