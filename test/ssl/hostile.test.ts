import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { turns } from '../clock.ts'
import { answersOf, ended } from './authority.ts'
import { host, withShop } from './fixtures.ts'
import { certificate } from './openssl.ts'
import { type Answers, StubAuthority } from './stub.ts'

const authority = new StubAuthority()
beforeAll(() => authority.start())
beforeEach(() => authority.requests.splice(0))
afterAll(() => authority.stop())

const refused = { events: ['job.failed'], jobs: ['ssl.issue failed'] }

async function withStub() {
  const input = await withShop()
  const { panel, base, path, shop } = input
  const set = { acme_directory_url: `${authority.url}/directory`, autossl_default: false }
  expect((await panel.patch('/settings', set)).status).toBe(200)
  panel.forget()
  return {
    ...input,
    order: async (answers: Answers, fields: object = {}) => {
      authority.answers = answers
      const names = ['shop.example']
      expect((await panel.post(`${base}/issue`, { domain_id: shop.id, names, ...fields })).status).toBe(202)
      const what = await ended(panel)
      return [what, (await panel.get(`${path}/${shop.id}`)).body.autossl.last_error]
    },
  }
}

test('responses of an authority are validated before anything is written', { timeout: 60_000 }, async () => {
  const { panel, used, order } = await withStub()
  const before = [await used(), host(panel).vhost('shop.example'), readdirSync(host(panel).path('etc/panel/tls'))]
  for (const [answers, error] of [
    [{ token: '../../../etc/cron.d/x' }, 'The certificate authority sent an invalid token for shop.example.'],
    [{ token: 'a'.repeat(129) }, 'The certificate authority sent an invalid token for shop.example.'],
    [{ token: '' }, 'The certificate authority sent an invalid token for shop.example.'],
    [{ names: ['bob.example'] }, 'The certificate authority asks for other names than were ordered.'],
    [{ type: 'tls-alpn-01' }, 'The certificate authority offers no http-01 for shop.example.'],
    [
      { newOrder: 'http://192.0.2.1/order' },
      'An address that the certificate authority named must begin with https://.',
    ],
    [
      { certificate: 'nothing' },
      'The certificate that was issued cannot be used: certificate must be PEM text and have a line -----BEGIN …-----.',
    ],
    [
      { certificate: certificate().certificate },
      'The certificate that was issued cannot be used: private_key does not belong to the certificate.',
    ],
    [{ certificate: certificate({ names: ['bob.example'] }).certificate }, expect.stringContaining('does not cover')],
  ] as const) {
    expect([answers, ...(await order(answers))]).toEqual([answers, refused, error])
    expect(answersOf(panel)).toEqual([])
  }
  const after = [await used(), host(panel).vhost('shop.example'), readdirSync(host(panel).path('etc/panel/tls'))]
  expect(after).toEqual(before)
})

test('an order that stays pending is abandoned after 90 seconds', { timeout: 60_000 }, async () => {
  const { panel, order } = await withStub()
  const began = panel.clock.now()
  expect(await order({ status: 'pending' })).toEqual([
    refused,
    'The certificate authority took longer than 90 seconds; try again.',
  ])
  expect(panel.clock.now() - began).toBeGreaterThan(90_000)
  expect(panel.clock.now() - began).toBeLessThan(110_000)
  expect(answersOf(panel)).toEqual([])
})

test('an order that becomes ready later is finalized then, even if the authority first says that it is not', {
  timeout: 60_000,
}, async () => {
  const { order, panel } = await withStub()
  for (const ready of [3, 'unready'] as const) {
    authority.requests.splice(0)
    const began = panel.clock.now()
    const [what, error] = await order({ ready, certificate: 'nothing' })
    expect([what, error]).toEqual([refused, expect.stringContaining('certificate must be PEM text')])
    expect(panel.clock.now() - began).toBeLessThan(90_000)
    expect(authority.requests.filter((path) => path === '/finalize')).toHaveLength(ready === 'unready' ? 2 : 1)
  }
})

test("AutoSSL waits for as long as the authority's rate limit asks", { timeout: 60_000 }, async () => {
  const { order, panel, path, shop } = await withStub()
  await panel.put(`${path}/${shop.id}/autossl`, { enabled: true })
  for (const [retryAfter, hours] of [
    ['36000', 10],
    [() => new Date(panel.clock.now() + 48 * 3_600_000).toUTCString(), 48],
    ['nonsense', 1],
    ['99999999', 7 * 24],
  ] as const) {
    const text = typeof retryAfter === 'string' ? retryAfter : retryAfter()
    const [what, error] = await order({ rateLimited: text })
    expect([what, error]).toEqual([refused, expect.stringContaining('too many certificates')])
    const { next_attempt_at, last_attempt_at } = (await panel.get(`${path}/${shop.id}`)).body.autossl
    expect((next_attempt_at - last_attempt_at) / 3_600_000).toBeCloseTo(hours, 1)
    await panel.put(`${path}/${shop.id}/autossl`, { enabled: false })
    panel.clock.jump(8 * 24 * 3_600_000)
    await panel.put(`${path}/${shop.id}/autossl`, { enabled: true })
  }
})

test('a server that stops during an order removes its challenges and starts over', {
  timeout: 60_000,
}, async () => {
  const { panel, base, shop } = await withStub()
  authority.answers = { status: 'pending' }
  await panel.post(`${base}/issue`, { domain_id: shop.id, names: ['shop.example'] })
  while (answersOf(panel).length === 0) await turns()
  expect(answersOf(panel)).toEqual(['token'])
  await panel.restart()
  authority.answers = { token: '?' }
  expect(await ended(panel)).toEqual(refused)
  expect(answersOf(panel)).toEqual([])
})
