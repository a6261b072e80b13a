import { describe, expect, test } from 'vitest'
import { eventTypes, webhookBody } from '../../src/contract/events.ts'
import { startPanel, type TestPanel } from '../harness.ts'
import { deliveries, event, minute, sent, webhook } from './helpers.ts'
import { startReceiver, status } from './receiver.ts'

const url = 'https://receiver.example/hook'
const nothing = (panel: TestPanel) => expect([panel.events(), panel.jobs()]).toEqual([[], []])

describe('createWebhook', () => {
  test('returns the secret once, and the webhook', async () => {
    const panel = await startPanel()
    panel.forget()
    const made = await panel.post('/webhooks', { url, description: 'Billing', events: ['account.*', 'account.*'] })
    expect(made.status).toBe(201)
    expect(made.body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(made.body.webhook).toEqual({
      id: expect.stringMatching(/^[0-9A-Z]{26}$/),
      url,
      description: 'Billing',
      enabled: true,
      events: ['account.*'],
      consecutive_failures: 0,
      created_at: panel.clock.now(),
      updated_at: panel.clock.now(),
      owner_type: 'server',
    })
    nothing(panel)
    const visible = await panel.get(`/webhooks/${made.body.webhook.id}`)
    expect([visible.status, visible.body]).toEqual([200, made.body.webhook])
    expect((await panel.get('/webhooks')).body).toEqual({ items: [made.body.webhook] })
  })

  test('subscribes to all events by default', async () => {
    const panel = await startPanel()
    expect((await webhook(panel, { url })).events).toEqual(['*'])
  })

  test.each([
    ['no url', {}, 'invalid-url', ['url']],
    ['no body', undefined, 'invalid-url', ['url']],
    ['url of another type', { url: 7 }, 'invalid-url', ['url']],
    ['url null', { url: null }, 'invalid-url', ['url']],
    ['empty url', { url: '' }, 'invalid-url', ['url']],
    ['long url', { url: `https://a.example/${'x'.repeat(2048)}` }, 'invalid-url', ['url']],
    ['url without TLS', { url: 'http://a.example/' }, 'invalid-url', ['url']],
    ['events of another type', { url, events: 'account.*' }, 'invalid-events', ['events']],
    ['no events', { url, events: [] }, 'invalid-events', ['events']],
    ['an event of another type', { url, events: ['*', 7] }, 'invalid-events', ['events']],
    ['unknown event', { url, events: ['account.created', 'account.exploded'] }, 'invalid-events', ['events']],
    ['empty pattern', { url, events: ['nothing.*'] }, 'invalid-events', ['events']],
    ['half a pattern', { url, events: ['acc*'] }, 'invalid-events', ['events']],
    ['description of another type', { url, description: 7 }, 'invalid-description', ['description']],
    ['long description', { url, description: 'x'.repeat(256) }, 'invalid-description', ['description']],
    ['control characters', { url, description: 'a\u0007' }, 'invalid-description', ['description']],
    ['two faults with codes', { url: 'ftp://a', events: ['no'] }, 'invalid-url', ['url', 'events']],
    ['enabled of another type', { url, enabled: 'yes' }, 'validation', ['enabled']],
    ['unknown field', { url, secret: 'mine' }, 'validation', ['secret']],
    ['both kinds of fault', { url: 7, enabled: 'yes' }, 'validation', ['enabled', 'url']],
    ['fault and unknown field', { url, events: 7, x: 1 }, 'validation', ['events', 'x']],
  ])('refuses %s', async (_, body, code, fields) => {
    const panel = await startPanel()
    panel.forget()
    const refused = await panel.post('/webhooks', body)
    expect([refused.status, refused.code]).toEqual([code === 'validation' ? 400 : 422, code])
    expect(Object.keys(refused.body.fields).sort()).toEqual([...fields].sort())
    expect((await panel.get('/webhooks')).body.items).toEqual([])
    nothing(panel)
  })

  test('takes 2,048 characters of url and 255 of description', async () => {
    const panel = await startPanel()
    const long = `${url}/`.padEnd(2048, 'x')
    expect((await webhook(panel, { url: long, description: 'x'.repeat(255) })).url).toBe(long)
  })

  test('stops at 20, for the server and for each account', async () => {
    const panel = await startPanel()
    const [alice, bob] = [await panel.account('alice'), await panel.account('bob')]
    for (const path of ['/webhooks', `/accounts/${alice.id}/webhooks`]) {
      for (let count = 0; count < 20; count++) expect((await panel.post(path, { url })).status).toBe(201)
      const refused = await panel.post(path, { url })
      expect([refused.status, refused.code]).toEqual([409, 'too-many'])
      expect((await panel.post(path, { url: 'nonsense' })).code).toBe('invalid-url')
    }
    expect((await panel.post(`/accounts/${bob.id}/webhooks`, { url })).status).toBe(201)
  })

  test('takes no idempotency key, because it returns a secret', async () => {
    const panel = await startPanel()
    const refused = await panel.post('/webhooks', { url }, { headers: { 'Idempotency-Key': 'once' } })
    expect([refused.status, refused.code]).toEqual([400, 'validation'])
  })
})

describe('updateWebhook', () => {
  test('changes what is named and nothing else', async () => {
    const panel = await startPanel()
    const hook = await webhook(panel, { url, description: 'Old', events: ['dns.*'] })
    panel.clock.jump(1000)
    panel.forget()
    const changed = await panel.patch(`/webhooks/${hook.id}`, { description: 'New', events: ['dns.*', 'job.failed'] })
    const { secret: _, ...visible } = hook
    expect(changed.status).toBe(200)
    expect(changed.body).toEqual({
      ...visible,
      description: 'New',
      events: ['dns.*', 'job.failed'],
      updated_at: panel.clock.now(),
    })
    nothing(panel)
    panel.clock.jump(1000)
    expect((await panel.patch(`/webhooks/${hook.id}`, {})).body).toEqual(changed.body)
    expect((await panel.patch(`/webhooks/${hook.id}`)).body).toEqual(changed.body)
  })

  test.each([
    [{ url: '' }, 422, 'invalid-url'],
    [{ url: 'https://127.0.0.1/' }, 422, 'invalid-url'],
    [{ events: [] }, 422, 'invalid-events'],
    [{ description: null }, 422, 'invalid-description'],
    [{ enabled: null }, 400, 'validation'],
    [{ owner_type: 'account' }, 400, 'validation'],
  ])('refuses %j', async (body, expected, code) => {
    const panel = await startPanel()
    const hook = await webhook(panel, { url })
    const refused = await panel.patch(`/webhooks/${hook.id}`, body)
    expect([refused.status, refused.code]).toEqual([expected, code])
  })

  test('sends to the new address with the next attempt', async () => {
    const panel = await startPanel()
    const [first, second] = [await startReceiver(status(500)), await startReceiver()]
    const hook = await webhook(panel, { url: first.url })
    await event(panel, 'small')
    await sent(panel)
    await panel.patch(`/webhooks/${hook.id}`, { url: second.url })
    const [delivery] = await deliveries(panel, hook.id)
    await panel.clock.advance(2000)
    await panel.post(`/webhooks/${hook.id}/deliveries/${delivery.id}/redeliver`)
    await sent(panel)
    expect([first.received.length, second.received.length]).toEqual([1, 1])
  })
})

describe('deleteWebhook', () => {
  test('deletes it, its due deliveries and its log', async () => {
    const panel = await startPanel()
    const receiver = await startReceiver(status(500))
    const hook = await webhook(panel, { url: receiver.url })
    for (let count = 0; count < 5; count++) await event(panel, `small${count}`)
    await sent(panel)
    const seen = receiver.received.length
    panel.forget()
    expect((await panel.delete(`/webhooks/${hook.id}`)).status).toBe(204)
    nothing(panel)
    expect((await panel.get(`/webhooks/${hook.id}`)).code).toBe('not-found')
    expect((await panel.get(`/webhooks/${hook.id}/deliveries`)).code).toBe('not-found')
    expect((await panel.delete(`/webhooks/${hook.id}`)).code).toBe('not-found')
    await panel.clock.advance(2 * minute)
    await sent(panel)
    expect(receiver.received).toHaveLength(seen)
    const count = (table: string) => panel.store.sqlite.prepare(`SELECT count(*) FROM ${table}`).pluck().get()
    expect([count('deliveries'), count('delivery_attempts')]).toEqual([0, 0])
  })

  test('drops the result of an attempt in flight when the webhook is deleted', async () => {
    const panel = await startPanel()
    let answer = (): void => {}
    const receiver = await startReceiver((_request, response) => {
      answer = () => response.writeHead(200).end()
    })
    const hook = await webhook(panel, { url: receiver.url })
    await event(panel, 'small')
    await receiver.got(1)
    await panel.delete(`/webhooks/${hook.id}`)
    answer()
    await sent(panel)
    expect(panel.logged.filter((line) => line.startsWith('error'))).toEqual([])
  })
})

describe('webhookDeliveries', () => {
  test('lists the newest deliveries first, as many as requested', async () => {
    const panel = await startPanel()
    const receiver = await startReceiver()
    const hook = await webhook(panel, { url: receiver.url })
    for (let count = 0; count < 55; count++) await event(panel, `small${count}`)
    await sent(panel)
    const all = await deliveries(panel, hook.id)
    expect(all).toHaveLength(55)
    expect(all.map(({ id }) => id)).toEqual([...all.map(({ id }) => id)].sort().reverse())
    expect((await panel.get(`/webhooks/${hook.id}/deliveries`)).body.items).toEqual(all.slice(0, 50))
    expect((await panel.get(`/webhooks/${hook.id}/deliveries?limit=1`)).body.items).toEqual(all.slice(0, 1))
    for (const limit of ['0', '501', 'x', '-1', '1.5']) {
      const refused = await panel.get(`/webhooks/${hook.id}/deliveries?limit=${limit}`)
      expect([refused.status, refused.code]).toEqual([400, 'validation'])
    }
  })
})

describe('redeliverWebhookSince', () => {
  test('resends what failed or was skipped since then, and nothing else', async () => {
    const panel = await startPanel()
    const receiver = await startReceiver(status(500))
    const hook = await webhook(panel, { url: receiver.url })
    await event(panel, 'before')
    await sent(panel)
    panel.clock.jump(minute)
    const since = panel.clock.now()
    await event(panel, 'failed')
    await sent(panel)
    receiver.answer = status(200)
    panel.clock.jump(2000)
    await event(panel, 'fine')
    await sent(panel)
    await panel.patch(`/webhooks/${hook.id}`, { enabled: false })
    await event(panel, 'skipped')
    await panel.patch(`/webhooks/${hook.id}`, { enabled: true })
    await sent(panel)
    const seen = receiver.received.length
    panel.forget()
    const requests = await panel.post(`/webhooks/${hook.id}/redeliver`, { since })
    expect([requests.status, requests.body]).toEqual([202, { count: 2 }])
    nothing(panel)
    await sent(panel)
    const names = receiver.bodies.slice(seen).map(({ data }) => (data as { details: { name: string } }).details.name)
    expect(names.sort()).toEqual(['failed', 'skipped'])
    expect((await panel.post(`/webhooks/${hook.id}/redeliver`, { since })).body).toEqual({ count: 0 })
    expect((await panel.post(`/webhooks/${hook.id}/redeliver`, { since: 9e15 })).body).toEqual({ count: 0 })
    expect((await panel.post(`/webhooks/${hook.id}/redeliver`, {})).code).toBe('validation')
  })
})

describe('testWebhook', () => {
  test('sends one webhook.ping to that webhook only, whatever its events', async () => {
    const panel = await startPanel()
    const [requests, other] = [await startReceiver(), await startReceiver()]
    const hook = await webhook(panel, { url: requests.url, events: ['dns.*'] })
    await webhook(panel, { url: other.url })
    panel.forget()
    const pinged = await panel.post(`/webhooks/${hook.id}/test`)
    expect(pinged.status).toBe(202)
    expect([panel.events(), panel.jobs()]).toEqual([['webhook.ping'], []])
    await sent(panel)
    expect(other.received).toEqual([])
    expect(requests.bodies).toMatchObject([
      { id: pinged.body.event_id, type: 'webhook.ping', data: { object_id: hook.id } },
    ])
    expect(requests.bodies[0]).toEqual(webhookBody('webhook.ping').parse(requests.bodies[0]))
    expect((await panel.get('/events?type=webhook.ping')).body.items).toMatchObject([{ id: pinged.body.event_id }])
  })

  test('puts the ping of an account in its feed, and allows at most ten a minute', async () => {
    const panel = await startPanel()
    const alice = await panel.account('alice')
    const hook = await webhook(panel, { url, enabled: false }, alice.id)
    const path = `/accounts/${alice.id}/webhooks/${hook.id}/test`
    for (let count = 0; count < 10; count++) expect((await panel.post(path)).status).toBe(202)
    const refused = await panel.post(path)
    expect([refused.status, refused.code, refused.headers.get('retry-after')]).toEqual([429, 'rate-limited', '60'])
    expect((await panel.get(`/accounts/${alice.id}/events?type=webhook.*`)).body.items).toHaveLength(10)
    panel.clock.jump(minute)
    expect((await panel.post(path)).status).toBe(202)
  })
})

describe('webhookCatalog', () => {
  test('lists every type, with an example that matches its schema', async () => {
    const panel = await startPanel()
    const { items } = (await panel.get('/webhooks/events')).body
    expect(items.map(({ type }: { type: string }) => type)).toEqual([...eventTypes])
    expect(items).toHaveLength(52)
    for (const { type, group, example, description } of items) {
      expect(type.startsWith(`${group}.`)).toBe(true)
      expect(description).not.toBe('')
      expect(webhookBody(type).parse(example)).toEqual(example)
    }
    const alice = await panel.account('alice')
    const own = (await panel.get(`/accounts/${alice.id}/webhooks/events`)).body.items
    expect(own).toEqual(items.filter((one: { account_webhooks: boolean }) => one.account_webhooks))
    expect(own).toHaveLength(38)
  })

  test('subscribes a webhook to every type, also what no area emits yet', async () => {
    const panel = await startPanel()
    expect((await webhook(panel, { url, events: [...eventTypes] })).events).toEqual([...eventTypes])
  })
})

describe('webhooks of an account', () => {
  test('receives what happens to the account, and nothing of others or of the server', async () => {
    const panel = await startPanel()
    const [alice, bob] = [await panel.account('alice'), await panel.account('bob')]
    await webhook(panel, { url: 'https://a.example/' }, alice.id)
    await webhook(panel, { url: 'https://b.example/' }, bob.id)
    const rows = () =>
      panel.store.sqlite
        .prepare(
          'SELECT type FROM deliveries JOIN events ON seq = event_seq JOIN webhooks w ON w.id = webhook_id WHERE w.account_id = ?',
        )
        .pluck()
    await panel.post(`/accounts/${alice.id}/suspend`, { reason: 'unpaid' })
    await panel.settle()
    await event(panel, 'small')
    expect(rows().all(alice.id)).toEqual(['account.suspended', 'job.completed'])
    expect(rows().all(bob.id)).toEqual([])
  })

  test('refuses events that accounts do not receive', async () => {
    const panel = await startPanel()
    const alice = await panel.account('alice')
    for (const events of [
      ['account.terminated'],
      ['package.*'],
      ['reseller.created'],
      ['account.*', 'package.created'],
    ]) {
      const refused = await panel.post(`/accounts/${alice.id}/webhooks`, { url, events })
      expect([refused.status, refused.code, Object.keys(refused.body.fields)]).toEqual([
        422,
        'invalid-events',
        ['events'],
      ])
    }
    expect((await webhook(panel, { url, events: ['account.*'] }, alice.id)).events).toEqual(['account.*'])
  })

  test('finds webhooks by their account only, and separates those of the server', async () => {
    const panel = await startPanel()
    const [alice, bob] = [await panel.account('alice'), await panel.account('bob')]
    const [server, own] = [await webhook(panel, { url }), await webhook(panel, { url }, alice.id)]
    expect(own).toMatchObject({ owner_type: 'account', account_id: alice.id })
    const path = `/accounts/${alice.id}/webhooks`
    expect((await panel.get(path)).body.items.map(({ id }: { id: string }) => id)).toEqual([own.id])
    expect((await panel.get('/webhooks')).body.items.map(({ id }: { id: string }) => id)).toEqual([server.id])
    const elsewhere = [`/webhooks/${own.id}`, `${path}/${server.id}`, `/accounts/${bob.id}/webhooks/${own.id}`]
    for (const wrong of elsewhere) {
      expect((await panel.get(wrong)).code).toBe('not-found')
      expect((await panel.patch(wrong, { enabled: false })).code).toBe('not-found')
      expect((await panel.delete(wrong)).code).toBe('not-found')
      expect((await panel.post(`${wrong}/test`)).code).toBe('not-found')
      expect((await panel.post(`${wrong}/rotate-secret`)).code).toBe('not-found')
      expect((await panel.get(`${wrong}/deliveries`)).code).toBe('not-found')
      expect((await panel.post(`${wrong}/redeliver`, { since: 0 })).code).toBe('not-found')
    }
    expect((await panel.get(`${path}/${own.id}`)).status).toBe(200)
    expect((await panel.post(`${path}/${own.id}/rotate-secret`)).status).toBe(200)
    expect((await panel.patch(`${path}/${own.id}`, { enabled: false })).body.enabled).toBe(false)
    expect((await panel.delete(`${path}/${own.id}`)).status).toBe(204)
  })

  test('reaches webhooks with the account token area webhooks, within its scope', async () => {
    const panel = await startPanel()
    const alice = await panel.account('alice')
    const token = await panel.token(['webhooks:read'], { account: alice.id })
    const path = `/accounts/${alice.id}/webhooks`
    expect((await panel.get(path, { token })).status).toBe(200)
    expect((await panel.get(`${path}/events`, { token })).status).toBe(200)
    expect((await panel.post(path, { url }, { token })).code).toBe('token-scope')
    const writer = await panel.token(['webhooks:write'], { account: alice.id })
    expect((await panel.post(path, { url }, { token: writer })).status).toBe(201)
    expect((await panel.get('/webhooks', { token: writer })).code).toBe('token-scope')
    const admin = await panel.token(['accounts:write'])
    expect((await panel.get(path, { token: admin })).status).toBe(200)
    expect((await panel.get('/webhooks', { token: admin })).code).toBe('token-scope')
    expect((await panel.get('/webhooks', { token: await panel.token(['server:read']) })).status).toBe(200)
  })

  test('needs the feature api_tokens, whoever asks', async () => {
    const panel = await startPanel()
    const alice = await panel.account('alice')
    await panel.patch(`/feature-lists/${alice.feature_list_id}`, { features: { api_tokens: false } })
    expect((await panel.get(`/accounts/${alice.id}/webhooks`)).code).toBe('feature-disabled')
    expect((await panel.post(`/accounts/${alice.id}/webhooks`, { url })).code).toBe('feature-disabled')
  })

  test('ends webhooks when the account is terminated, and makes none any more', async () => {
    const panel = await startPanel()
    const alice = await panel.account('alice')
    await webhook(panel, { url }, alice.id)
    const ended = await panel.delete(`/accounts/${alice.id}?confirm=alice`)
    expect(ended.status).toBe(202)
    expect(panel.store.sqlite.prepare('SELECT count(*) FROM webhooks').pluck().get()).toBe(0)
    const refused = await panel.post(`/accounts/${alice.id}/webhooks`, { url })
    expect([refused.status, refused.code]).toEqual([409, 'busy'])
  })
})

test('secrets appear only in the two responses', async () => {
  const panel = await startPanel()
  const receiver = await startReceiver()
  const hook = await webhook(panel, { url: receiver.url })
  const { secret } = (await panel.post(`/webhooks/${hook.id}/rotate-secret`, { grace_hours: 1 })).body
  await event(panel, 'small')
  await sent(panel)
  const dump = panel.store.sqlite.serialize().toString('latin1')
  const output = [
    panel.logged.join('\n'),
    dump,
    JSON.stringify((await panel.get('/audit')).body),
    JSON.stringify(receiver.received),
  ]
  for (const text of output)
    for (const one of [hook.secret, secret]) expect(text).not.toContain(one.slice('whsec_'.length))
  expect((await panel.get(`/webhooks/${hook.id}`)).body).not.toHaveProperty('secret')
})
