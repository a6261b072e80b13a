import { describe, expect, test } from 'vitest'
import { isGenuine } from '../../src/shared/signature.ts'
import { startPanel, type TestPanel } from '../harness.ts'
import { mailOf, tokenIn } from '../outgoing-mail.ts'
import { startReceiver, status } from '../webhooks/receiver.ts'
import { channel, hour, minute, started } from './helpers.ts'

const nothing = (panel: TestPanel) => expect([panel.events(), panel.jobs()]).toEqual([[], []])
const url = 'https://hooks.example/services/T0/B0/secret-part'
const slack = { name: 'chat', type: 'webhook', shape: 'slack', url }

describe('createAlertChannel', () => {
  test('answers the channel with the host, and never the address', async () => {
    const panel = await started()
    const made = await panel.post('/alerts/channels', { ...slack, kinds: ['error', 'disk-*', 'error'] })
    expect([made.status, made.body]).toEqual([
      201,
      {
        channel: {
          id: expect.stringMatching(/^[0-9A-Z]{26}$/),
          name: 'chat',
          type: 'webhook',
          shape: 'slack',
          host: 'hooks.example',
          kinds: ['error', 'disk-*'],
          urgent: false,
          digest: 'now',
          enabled: true,
          failures: 0,
          verified: true,
          created_at: panel.clock.now(),
          updated_at: panel.clock.now(),
        },
      },
    ])
    nothing(panel)
    expect((await panel.get('/alerts/channels')).body).toEqual({ items: [made.body.channel] })
    const everywhere = JSON.stringify([
      (await panel.get(`/alerts/channels/${made.body.channel.id}`)).body,
      (await panel.get('/audit')).body,
      panel.logged,
      panel.store.sqlite.prepare('SELECT * FROM alert_channels').all(),
    ])
    expect(everywhere).not.toContain('secret-part')
  })

  test.each([
    ['no type', { name: 'a' }, ['type']],
    ['mail without an address', { name: 'a', type: 'mail' }, ['to']],
    ['mail with a shape', { name: 'a', type: 'mail', to: 'a@b.example', shape: 'slack' }, ['shape']],
    ['mail with a URL', { name: 'a', type: 'mail', to: 'a@b.example', url }, ['url']],
    ['two addresses', { name: 'a', type: 'mail', to: 'a@b.example, c@d.example' }, ['to']],
    ['a newline in the address', { name: 'a', type: 'mail', to: 'a@b.example\nBcc: c@d.example' }, ['to']],
    ['a webhook without shape', { name: 'a', type: 'webhook', url }, ['shape']],
    ['a webhook without URL', { name: 'a', type: 'webhook', shape: 'discord' }, ['url']],
    ['ntfy without topic', { name: 'a', type: 'webhook', shape: 'ntfy' }, ['topic']],
    ['a topic that leaves its place', { name: 'a', type: 'webhook', shape: 'ntfy', topic: '../x' }, ['topic']],
    ['telegram without token', { name: 'a', type: 'webhook', shape: 'telegram', chat: '1' }, ['token']],
    ['a token with a slash', { name: 'a', type: 'webhook', shape: 'telegram', chat: '1', token: '1:/../x' }, ['token']],
    ['a topic for slack', { ...slack, topic: 'x' }, ['topic']],
    ['http', { ...slack, url: 'http://hooks.example/' }, ['url']],
    ['a user in the URL', { ...slack, url: 'https://u:p@hooks.example/' }, ['url']],
    ['the panel itself', { ...slack, url: 'https://host.example:7711/' }, ['url']],
    ['an unknown kind', { ...slack, kinds: ['*', 'nonsense'] }, ['kinds']],
    ['a pattern of nothing', { ...slack, kinds: ['x-*'] }, ['kinds']],
    ['no kinds', { ...slack, kinds: [] }, ['kinds']],
    ['a name in capitals', { ...slack, name: 'Ops' }, ['name']],
    ['an unknown zone', { ...slack, quiet: { from: '22:00', to: '07:00', timezone: 'Mars/Base' } }, ['quiet.timezone']],
    ['hours without end', { ...slack, quiet: { from: '22:00', to: '22:00', timezone: 'UTC' } }, ['quiet.to']],
    ['an impossible time', { ...slack, quiet: { from: '24:00', to: '07:00', timezone: 'UTC' } }, ['quiet.from']],
    ['an unknown channel', { ...slack, escalate_to: '01K9ZQ5T3M8V4X7C2B6N1D0FGH' }, ['escalate_to']],
    ['an unknown field', { ...slack, secret: 'mine' }, ['secret']],
  ])('refuses %s', async (_, body, fields) => {
    const panel = await started()
    const refused = await panel.post('/alerts/channels', body)
    expect([refused.code, Object.keys(refused.body.fields)]).toEqual(['validation', fields])
    expect((await panel.get('/alerts/channels')).body.items).toEqual([])
    nothing(panel)
  })

  test.each([
    'http://127.0.0.1:8080/',
    'https://127.0.0.1/',
    'https://10.0.0.1/',
    'https://[::1]/',
    'https://localhost/',
    'https://node1.internal/',
    'https://169.254.169.254/latest',
  ])('refuses %s to an account', async (address) => {
    const panel = await started()
    const { id } = await panel.account('alice')
    const refused = await panel.post(`/accounts/${id}/alerts/channels`, { ...slack, url: address })
    expect([refused.code, Object.keys(refused.body.fields)]).toEqual(['validation', ['url']])
  })

  test('stops at 20 for each owner, and refuses a name twice', async () => {
    const panel = await started()
    const { id } = await panel.account('alice')
    for (const path of ['/alerts/channels', `/accounts/${id}/alerts/channels`]) {
      for (let n = 0; n < 20; n++) await panel.post(path, { ...slack, name: `c${n}` })
      expect((await panel.post(path, { ...slack, name: 'c1' })).code).toBe('exists')
      expect((await panel.post(path, { ...slack, name: 'more' })).code).toBe('too-many')
      expect((await panel.get(path)).body.items).toHaveLength(20)
    }
  })
})

describe('a mail address', () => {
  test('that is the contact needs no confirmation, another does; the link works once, for a day', async () => {
    const panel = await started()
    await panel.patch('/settings', { contact_email: 'root@admin.example' })
    const own = await channel(panel, { name: 'own', type: 'mail', to: 'Root@admin.example' })
    expect(own.verified).toBe(true)
    const other = await channel(panel, { name: 'other', type: 'mail', to: 'ops@other.example' })
    expect(other.verified).toBe(false)
    expect(await panel.post(`/alerts/channels/${other.id}/test`)).toMatchObject({ body: { outcome: 'failed' } })
    const [link] = await mailOf(panel, 1)
    expect([link!.headers['to'], link!.headers['auto-submitted']]).toEqual(['ops@other.example', 'auto-generated'])
    const confirm = (token: string) => panel.post('/alerts/confirm', { token }, { from: '192.0.2.9' })
    expect((await confirm('x'.repeat(43))).code).toBe('not-found')
    expect((await confirm(tokenIn(link!))).status).toBe(204)
    expect((await panel.get(`/alerts/channels/${other.id}`)).body.verified).toBe(true)
    expect((await confirm(tokenIn(link!))).code).toBe('not-found')
    nothing(panel)
  })

  test('is not confirmed by a link that is a day old, nor by one for another address', async () => {
    const panel = await started()
    const { id } = await channel(panel, { name: 'a', type: 'mail', to: 'a@mail.example' })
    await panel.patch(`/alerts/channels/${id}`, { to: 'b@mail.example' })
    const [first, second] = await mailOf(panel, 2)
    const confirm = async (message: typeof first) =>
      (await panel.post('/alerts/confirm', { token: tokenIn(message!) }, { from: '192.0.2.9' })).code
    expect(await confirm(first)).toBe('not-found')
    await panel.clock.leap(24 * hour)
    expect(await confirm(second)).toBe('not-found')
    expect((await panel.get(`/alerts/channels/${id}`)).body.verified).toBe(false)
  })

  test('that an account gave itself as its contact is confirmed first', async () => {
    const panel = await started()
    const alice = await panel.account('alice', { contact_email: 'alice@home.example' })
    const path = `/accounts/${alice.id}/alerts/channels`
    expect((await panel.post(path, { name: 'a', type: 'mail', to: 'alice@home.example' })).body.channel.verified).toBe(
      true,
    )
    const token = await panel.token(['full-access'], { account: alice.id })
    await panel.patch(`/accounts/${alice.id}`, { contact_email: 'stranger@else.example' }, { token })
    const made = await panel.post(path, { name: 'b', type: 'mail', to: 'stranger@else.example' }, { token })
    expect(made.body.channel.verified).toBe(false)
    await panel.patch(`/accounts/${alice.id}`, { contact_email: 'new@home.example' })
    expect((await panel.post(path, { name: 'c', type: 'mail', to: 'new@home.example' })).body.channel.verified).toBe(
      true,
    )
  })

  test('gets at most 20 links a day for one owner, however often channels are made', async () => {
    const panel = await started()
    for (let n = 0; n < 20; n++) {
      const { id } = await channel(panel, { name: 'a', type: 'mail', to: `a${n}@mail.example` })
      await panel.delete(`/alerts/channels/${id}`)
    }
    expect((await panel.post('/alerts/channels', { name: 'a', type: 'mail', to: 'z@mail.example' })).code).toBe(
      'rate-limited',
    )
    expect((await panel.get('/alerts/channels')).body.items).toEqual([])
  })
})

describe('testAlertChannel', () => {
  const telegram = { token: `1234:${'a'.repeat(30)}`, chat: '-100200' }
  test.each([
    ['slack', {}, '/hook', { mrkdwn: false, unfurl_links: false, unfurl_media: false }],
    ['discord', {}, '/hook', { allowed_mentions: { parse: [] }, flags: 4 }],
    ['mattermost', {}, '/hook', {}],
    ['ntfy', { topic: 'panel_1' }, '/hook/', { topic: 'panel_1', priority: 3 }],
    ['telegram', telegram, `/hook/bot${telegram.token}/sendMessage`, { chat_id: '-100200' }],
    ['json', {}, '/hook', { type: 'alert.test', server: 'host.example', alerts: [] }],
  ])('posts in the shape of %s and shows the answer', async (shape, address, path, expected) => {
    const panel = await started()
    const receiver = await startReceiver(status(200, 'fine\u0007 here'))
    const { id, secret } = await channel(panel, { name: 'a', type: 'webhook', shape, url: receiver.url, ...address })
    panel.forget()
    const tested = await panel.post(`/alerts/channels/${id}/test`)
    expect([tested.status, tested.body]).toEqual([200, { outcome: 'sent', answer: '200 fine here' }])
    const [request] = receiver.received
    expect([request!.method, request!.url, receiver.received.length]).toEqual(['POST', path, 1])
    const body = JSON.parse(request!.body)
    expect(body).toMatchObject(expected)
    expect(body.text ?? body.content ?? body.message).toContain('test of the alert channel a of host.example')
    if (shape === 'json') {
      const { 'x-panel-timestamp': timestamp, 'x-panel-signature': signature } = request!.headers
      const now = Math.floor(panel.clock.now() / 1000)
      expect(isGenuine(secret, { timestamp: timestamp!, signature: signature! }, request!.body, now)).toBe(true)
    }
    nothing(panel)
  })

  test('tells what went wrong, and is refused within a minute', async () => {
    const panel = await started()
    const receiver = await startReceiver(status(404, 'no such hook'))
    const { id } = await channel(panel, { ...slack, url: receiver.url })
    const test = () => panel.post(`/alerts/channels/${id}/test`)
    expect((await test()).body).toEqual({ outcome: 'failed', answer: '404 no such hook' })
    const refused = await test()
    expect([refused.code, refused.headers.get('retry-after')]).toEqual(['rate-limited', '60'])
    await panel.clock.leap(minute)
    expect((await test()).status).toBe(200)
    expect(receiver.received).toHaveLength(2)
  })

  test.each([
    ['a redirect', status(302, '', { Location: 'http://127.0.0.1/' }), '302'],
    ['another status', status(500, 'x'.repeat(5000)), `500 ${'x'.repeat(500)}`],
  ])('does not follow %s', async (_, answering, answer) => {
    const panel = await started()
    const receiver = await startReceiver(answering)
    const { id } = await channel(panel, { ...slack, url: receiver.url })
    expect((await panel.post(`/alerts/channels/${id}/test`)).body).toEqual({ outcome: 'failed', answer })
    expect(receiver.received).toHaveLength(1)
  })

  test('refuses a name that leads to this machine or a private network, once it is resolved', async () => {
    for (const found of ['127.0.0.1', '10.1.2.3', '::1']) {
      const panel = await startPanel({ outgoing: { resolve: async () => [found] } })
      const { id } = await panel.account('alice')
      const { channel: made } = (await panel.post(`/accounts/${id}/alerts/channels`, slack)).body
      const tested = await panel.post(`/accounts/${id}/alerts/channels/${made.id}/test`)
      expect(tested.body).toEqual({ outcome: 'failed', answer: 'Its address is not allowed.' })
    }
  })

  test('waits for the mail server', async () => {
    const panel = await started()
    await panel.patch('/settings', { contact_email: 'root@admin.example' })
    const { id } = await channel(panel, { name: 'a', type: 'mail', to: 'root@admin.example' })
    const testing = panel.post(`/alerts/channels/${id}/test`)
    const [message] = await mailOf(panel, 1)
    expect((await testing).body).toEqual({ outcome: 'sent', answer: 'The mail server has taken it.' })
    expect(message!.headers['subject']).toBe('host.example: test of a')
  })
})

describe('updateAlertChannel', () => {
  test('keeps the address unless a new one is given, and the audit trail shows neither', async () => {
    const panel = await started()
    const [first, second] = [await startReceiver(), await startReceiver()]
    const { id } = await channel(panel, { ...slack, url: first.url })
    await panel.patch(`/alerts/channels/${id}`, { name: 'renamed', digest: 'hourly' })
    expect((await panel.post(`/alerts/channels/${id}/test`)).body.outcome).toBe('sent')
    await panel.patch(`/alerts/channels/${id}`, { url: `${second.url}/other-secret` })
    await panel.clock.leap(minute)
    await panel.post(`/alerts/channels/${id}/test`)
    expect([first.received.length, second.received.map((one) => one.url)]).toEqual([1, ['/hook/other-secret']])
    expect(JSON.stringify((await panel.get('/audit')).body)).not.toContain('other-secret')
    nothing(panel)
  })

  test('refuses another kind of address', async () => {
    const panel = await started()
    const { id } = await channel(panel, slack)
    const refused = await panel.patch(`/alerts/channels/${id}`, { to: 'a@b.example', topic: 'x' })
    expect([refused.code, Object.keys(refused.body.fields)]).toEqual(['validation', ['to', 'topic']])
    expect((await panel.patch(`/alerts/channels/${id}`, { escalate_to: id })).code).toBe('validation')
  })
})

test('a reseller creates channels, and root sees whose they are', async () => {
  const panel = await started()
  const rita = await panel.account('rita', { make_reseller: true })
  const { resellerToken } = await import('../world.ts')
  const token = await resellerToken(panel, rita.id, ['list-accts'])
  const made = await panel.post('/alerts/channels', { ...slack, url: 'https://127.0.0.1/' }, { token })
  expect(made.code).toBe('validation')
  const { channel: own } = (await panel.post('/alerts/channels', slack, { token })).body
  expect(own.reseller).toBeUndefined()
  const roots = await channel(panel, slack)
  expect((await panel.get('/alerts/channels', { token })).body.items).toEqual([own])
  expect((await panel.get(`/alerts/channels/${roots.id}`, { token })).code).toBe('not-found')
  const all = (await panel.get('/alerts/channels')).body.items
  expect(all.map(({ name, reseller }: { name: string; reseller?: string }) => [name, reseller])).toEqual([
    ['chat', 'rita'],
    ['chat', undefined],
  ])
})
