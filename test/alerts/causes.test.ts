import { expect, test } from 'vitest'
import { startPanel, type TestPanel } from '../harness.ts'
import { mailOf } from '../outgoing-mail.ts'
import { type Receiver, startReceiver, status } from '../webhooks/receiver.ts'
import { alertsOf, cause, channel, hour, minute, pass, repair, spoil, started } from './helpers.ts'

const reasonsAt = (receiver: Receiver) =>
  receiver.received.flatMap(({ body }) => (JSON.parse(body).alerts as { what: string }[]).map(({ what }) => what))
const texts = (receiver: Receiver) => receiver.received.map(({ body }) => JSON.parse(body).text as string)

const json = async (panel: TestPanel, receiver: Receiver, fields: object = {}, account?: string) =>
  channel(panel, { name: 'ops', type: 'webhook', shape: 'json', url: receiver.url, ...fields }, account)

test('a cause is one alert and one message, and one more once it is back to normal', async () => {
  const panel = await started()
  const receiver = await startReceiver()
  const { id } = await json(panel, receiver)
  const hook = await cause(panel)
  await pass(panel, 3)
  const [open] = await alertsOf(panel)
  expect(open).toEqual({
    id: expect.any(String),
    kind: 'webhook-off',
    severity: 'error',
    object: 'webhook',
    object_id: hook,
    name: 'hooks.example',
    detail: 'It failed.',
    since: expect.any(Number),
    state: 'open',
    command: `panel webhooks show ${hook}`,
    mend: `panel webhooks update ${hook}`,
    sent: [{ channel_id: id, at: expect.any(Number), what: 'opened', outcome: 'sent' }],
  })
  expect(texts(receiver)).toEqual([
    'Error: webhook-off “hooks.example” needs attention.\nIt failed.\nSince 2026-01-15 12:00 UTC\n' +
      `Show: panel webhooks show ${hook}\nMend: panel webhooks update ${hook}`,
  ])
  await repair(panel, hook)
  await pass(panel, 5)
  expect((await alertsOf(panel))[0].state).toBe('open')
  await pass(panel, 1)
  expect((await alertsOf(panel))[0]).toMatchObject({ state: 'ended', ended_at: panel.clock.now() })
  await pass(panel, 60)
  expect(reasonsAt(receiver)).toEqual(['opened', 'ended'])
  expect(texts(receiver)[1]).toBe('“hooks.example” is back to normal (webhook-off, since 2026-01-15 12:00 UTC).')
  await pass(panel, 120)
  expect(receiver.received).toHaveLength(2)
  expect([panel.events(), panel.jobs()]).toEqual([[], []])
})

test('a cause that flaps each minute for hours is one message', async () => {
  const panel = await started()
  const receiver = await startReceiver()
  await json(panel, receiver)
  const hook = await cause(panel)
  for (let n = 0; n < 90; n++) {
    await pass(panel, 1)
    await repair(panel, hook)
    await pass(panel, 1)
    await spoil(panel, hook)
  }
  expect([reasonsAt(receiver), (await alertsOf(panel)).length]).toEqual([['opened'], 1])
}, 120_000)

test('a cause that comes back within an hour is the same alert, told at most once an hour', async () => {
  const panel = await started()
  const receiver = await startReceiver()
  await json(panel, receiver)
  const hook = await cause(panel)
  await pass(panel, 2)
  await repair(panel, hook)
  await pass(panel, 7)
  await spoil(panel, hook)
  await pass(panel, 120)
  // Its end was not told yet, and so is not told any more.
  expect([reasonsAt(receiver), (await alertsOf(panel)).map(({ state }) => state)]).toEqual([['opened'], ['open']])
  await repair(panel, hook)
  await pass(panel, 8)
  expect(reasonsAt(receiver)).toEqual(['opened', 'ended'])
  await spoil(panel, hook)
  await pass(panel, 30)
  expect(reasonsAt(receiver)).toEqual(['opened', 'ended'])
  await pass(panel, 40)
  expect([reasonsAt(receiver), (await alertsOf(panel)).length]).toEqual([['opened', 'ended', 'reminded'], 1])
})

test('a cause that comes back later is another alert', async () => {
  const panel = await started()
  const hook = await cause(panel)
  await pass(panel, 2)
  await repair(panel, hook)
  await pass(panel, 70)
  await spoil(panel, hook)
  await pass(panel, 2)
  expect((await alertsOf(panel)).map(({ state }) => state)).toEqual(['ended', 'open'])
})

test('a dismissed notice ends its alert in silence', async () => {
  const panel = await started()
  const receiver = await startReceiver()
  await json(panel, receiver)
  const hook = await cause(panel)
  await pass(panel, 2)
  await panel.post('/notices/dismiss', { kind: 'webhook-off', object_id: hook })
  await pass(panel, 70)
  expect([reasonsAt(receiver), (await alertsOf(panel))[0].state]).toEqual([['opened'], 'ended'])
})

test('300 causes of a kind are one message with the first five', async () => {
  const panel = await started()
  const receiver = await startReceiver()
  await json(panel, receiver)
  const mail = await panel.patch('/settings', { contact_email: 'root@admin.example' })
  expect(mail.status).toBe(200)
  await channel(panel, { name: 'mail', type: 'mail', to: 'root@admin.example' })
  const hook = await cause(panel)
  await panel.store.change(() => {
    const copy = panel.store.sqlite.prepare(
      `INSERT INTO webhooks SELECT @id, account_id, url, description, enabled, events, secret, former_secret,
         former_until, consecutive_failures, failing_since, disabled_reason, created_at, updated_at
       FROM webhooks WHERE id = @hook`,
    )
    for (let n = 1; n < 300; n++) copy.run({ id: panel.panel.runtime.id(), hook })
  })
  await pass(panel, 3)
  expect([receiver.received.length, (await panel.get('/alerts')).body.total]).toEqual([1, 300])
  expect(texts(receiver)[0]).toMatch(
    /^300 × webhook-off:\n(?:webhook-off “hooks\.example”: It failed\.\n){5}and 295 more/,
  )
  const [message, ...others] = await mailOf(panel, 1)
  expect([message!.headers['subject'], others]).toEqual(['host.example: 300 × webhook-off', []])
})

test('a channel hears of what its kinds name', async () => {
  const panel = await started()
  const receivers = await Promise.all(['a', 'b', 'c', 'd'].map(() => startReceiver()))
  const kinds = [['error'], ['warn'], ['webhook-*'], ['job-failed', 'disk-*']]
  for (const [n, receiver] of receivers.entries()) await json(panel, receiver, { name: `c${n}`, kinds: kinds[n] })
  await cause(panel)
  await pass(panel, 2)
  expect(receivers.map(({ received }) => received.length)).toEqual([1, 0, 1, 0])
})

test('an account hears only of itself, a reseller of its accounts alone, and neither of the server', async () => {
  const panel = await started()
  await panel.patch('/settings', { contact_email: 'root@admin.example' })
  const rita = await panel.account('rita', { make_reseller: true, contact_email: 'rita@mail.example' })
  const { resellerToken } = await import('../world.ts')
  const token = await resellerToken(panel, rita.id, ['all'])
  const own = await panel.account('alice', { owner_id: rita.id, contact_email: 'alice@mail.example' })
  const other = await panel.account('bob', { contact_email: 'bob@mail.example' })
  const mail = { name: 'mail', type: 'mail' }
  await channel(panel, { ...mail, to: 'root@admin.example' })
  expect((await panel.post('/alerts/channels', { ...mail, to: 'rita@mail.example' }, { token })).status).toBe(201)
  await channel(panel, { ...mail, to: 'alice@mail.example' }, own.id)
  await channel(panel, { ...mail, to: 'bob@mail.example' }, other.id)
  await cause(panel)
  await cause(panel, { account: own.id })
  await pass(panel, 3)
  const sent = (await mailOf(panel, 4)).map(({ headers }) => headers['to']).sort()
  expect(sent).toEqual(['alice@mail.example', 'rita@mail.example', 'root@admin.example', 'root@admin.example'])
  const [seen] = (await panel.get('/alerts', { token })).body.items
  expect([seen.username, seen.sent.length]).toEqual(['alice', 1])
  expect((await panel.get(`/accounts/${own.id}/alerts`)).body.total).toBe(1)
  expect((await panel.get(`/accounts/${other.id}/alerts`)).body.total).toBe(0)
})

test('receivers that never answer hold up neither root nor the customers of others', { timeout: 120_000 }, async () => {
  const requested: string[] = []
  const resolve = (name: string): Promise<string[]> => {
    requested.push(name)
    return new Promise(() => {})
  }
  const panel = await startPanel({ outgoing: { resolve } })
  const rita = await panel.account('rita', { make_reseller: true })
  const slow = { name: 'slow', type: 'webhook', shape: 'json' }
  const owned = ['a1', 'a2', 'a3', 'a4'].map((name) => [name, rita.id])
  const others = ['c1', 'c2', 'c3'].map((name) => [name, undefined])
  for (const [name, owner_id] of [...owned, ...others]) {
    const { id } = await panel.account(name, owner_id === undefined ? {} : { owner_id })
    for (let n = 0; n < 5; n++)
      await channel(panel, { ...slow, name: `slow${n}`, url: `https://${name}.slow.example/` }, id)
    await cause(panel, { account: id })
  }
  const receiver = await startReceiver()
  await json(panel, receiver)
  await panel.clock.advance(minute)
  await expect.poll(() => receiver.received.length, { timeout: 5000 }).toBeGreaterThan(0)
  const ofRita = requested.filter((name) => name.startsWith('a'))
  expect([ofRita.length, requested.length]).toEqual([4, 12])
})

test("a suspended reseller's channels rest", async () => {
  const panel = await started()
  const rita = await panel.account('rita', { make_reseller: true, contact_email: 'rita@mail.example' })
  const { resellerToken } = await import('../world.ts')
  const token = await resellerToken(panel, rita.id, ['all'])
  await panel.post('/alerts/channels', { name: 'mail', type: 'mail', to: 'rita@mail.example' }, { token })
  const own = await panel.account('alice', { owner_id: rita.id })
  await panel.post(`/resellers/${rita.id}/suspend`, { reason: 'unpaid' })
  await panel.settle()
  await cause(panel, { account: own.id })
  await pass(panel, 3)
  expect((await alertsOf(panel, '&kind=webhook-off'))[0].sent).toEqual([])
})

test('what fails is tried after 1, 5, 30 minutes and 2 hours with the same id, then given up', async () => {
  const panel = await started()
  const receiver = await startReceiver(status(500, 'down'))
  await json(panel, receiver)
  await cause(panel)
  await pass(panel, 1)
  const times = [panel.clock.now()]
  for (let n = 0; n < 200; n++) {
    const before = receiver.received.length
    await pass(panel, 1)
    if (receiver.received.length > before) times.push(panel.clock.now())
  }
  expect(times.map((at) => Math.round((at - times[0]!) / minute))).toEqual([0, 1, 6, 36, 156])
  const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
  const numbers = receiver.received.map(({ headers }) => headers['x-panel-delivery']!.split('-').at(-1))
  expect([ids.size, numbers]).toEqual([1, ['1', '2', '3', '4', '5']])
  const [alert] = await alertsOf(panel)
  expect(alert.sent).toMatchObject([{ what: 'opened', outcome: 'failed', error: '500 down' }])
  expect((await panel.get('/alerts/channels')).body.items[0].failures).toBe(5)
})

test('50 failures switch a channel off', async () => {
  const panel = await started()
  const receiver = await startReceiver(status(500))
  const { id } = await json(panel, receiver)
  await panel.store.change(() => panel.store.sqlite.prepare('UPDATE alert_channels SET failures = 49').run())
  await cause(panel)
  await pass(panel, 2)
  const off = (await panel.get(`/alerts/channels/${id}`)).body
  expect([off.enabled, off.failures, off.disabled_reason]).toEqual([
    false,
    50,
    'Switched off after 50 failed attempts, the last one: 500',
  ])
  expect((await alertsOf(panel, '&kind=webhook-off'))[0].sent).toMatchObject([{ outcome: 'skipped' }])
  const on = (await panel.patch(`/alerts/channels/${id}`, { enabled: true })).body
  expect([on.enabled, on.failures, on.disabled_reason]).toEqual([true, 0, undefined])
})

test('quiet hours over midnight delay, and errors pass if urgent', async () => {
  const panel = await started()
  const [waits, passes] = [await startReceiver(), await startReceiver()]
  const quiet = { from: '11:00', to: '07:00', timezone: 'UTC' }
  await json(panel, waits, { name: 'waits', quiet })
  await json(panel, passes, { name: 'passes', quiet, urgent: true })
  const hook = await cause(panel)
  const still = await cause(panel)
  await pass(panel, 3)
  expect([waits.received.length, passes.received.length]).toEqual([0, 2])
  await repair(panel, hook)
  await pass(panel, 7)
  await panel.clock.leap(18 * hour)
  await pass(panel, 45)
  expect(new Date(panel.clock.now()).toISOString()).toBe('2026-01-16T06:55:00.000Z')
  expect(waits.received).toHaveLength(0)
  await pass(panel, 6)
  expect(texts(waits)).toHaveLength(1)
  expect(texts(waits)[0]).toContain('“hooks.example” is back to normal')
  expect(texts(waits)[0]).toContain(`Show: panel webhooks show ${still}`)
}, 120_000)

test('a digest collects', async () => {
  const panel = await started()
  const receiver = await startReceiver()
  await json(panel, receiver, { digest: 'hourly' })
  await cause(panel)
  await pass(panel, 10)
  await cause(panel)
  await pass(panel, 48)
  expect(receiver.received).toHaveLength(0)
  await pass(panel, 3)
  expect(reasonsAt(receiver)).toEqual(['opened', 'opened'])
  expect(receiver.received).toHaveLength(1)
})

test('an alert that was not acknowledged goes on to the next channel, once', async () => {
  const panel = await started()
  const [first, next] = [await startReceiver(), await startReceiver()]
  const { id } = await json(panel, next, { name: 'next', kinds: ['mail-loop'] })
  await json(panel, first, { name: 'first', escalate_after_min: 5, escalate_to: id })
  const late = await cause(panel)
  const inTime = await cause(panel)
  await pass(panel, 2)
  const alert = (await alertsOf(panel)).find(({ object_id }) => object_id === inTime)
  const acknowledged = await panel.post(`/alerts/${alert.id}/acknowledge`, { note: 'on it' })
  expect(acknowledged.body).toMatchObject({ state: 'acknowledged', acknowledged_by: 'root', note: 'on it' })
  await pass(panel, 3)
  expect(next.received).toHaveLength(0)
  await pass(panel, 180)
  expect(next.received).toHaveLength(1)
  expect(next.received[0]!.body).toContain(late)
  expect(reasonsAt(next)).toEqual(['escalated'])
  expect(reasonsAt(first)).toEqual(['opened', 'opened'])
})

test("a customer's acknowledgement does not end root's escalation", async () => {
  const panel = await started()
  const alice = await panel.account('alice')
  const [first, next] = [await startReceiver(), await startReceiver()]
  const { id } = await json(panel, next, { name: 'next', kinds: ['mail-loop'] })
  await json(panel, first, { name: 'first', escalate_after_min: 5, escalate_to: id })
  await cause(panel, { account: alice.id })
  await pass(panel, 2)
  const token = await panel.token(['full-access'], { account: alice.id })
  const [alert] = (await panel.get(`/accounts/${alice.id}/alerts`, { token })).body.items
  const path = `/accounts/${alice.id}/alerts/${alert.id}/acknowledge`
  expect((await panel.post(path, {}, { token })).body).toMatchObject({
    state: 'acknowledged',
    acknowledged_by: 'alice',
  })
  await pass(panel, 10)
  expect(next.received).toHaveLength(1)
})

test('a customer does not replace the note of root', async () => {
  const panel = await started()
  const alice = await panel.account('alice')
  const token = await panel.token(['full-access'], { account: alice.id })
  await cause(panel, { account: alice.id })
  await pass(panel, 2)
  const [{ id }] = await alertsOf(panel)
  const path = `/accounts/${alice.id}/alerts/${id}/acknowledge`
  expect((await panel.post(path, { note: 'on it' }, { token })).body.note).toBe('on it')
  expect((await panel.post(`/alerts/${id}/acknowledge`, { note: 'by root' })).body.note).toBe('by root')
  const again = (await panel.post(path, { note: 'changed' }, { token })).body
  expect([again.note, again.acknowledged_by]).toEqual(['by root', 'root'])
})

test('what tenants wrote is quoted, cut and inert', async () => {
  const panel = await started()
  const receiver = await startReceiver()
  await json(panel, receiver)
  const hook = await cause(panel)
  const evil = `a\nb <!channel> @everyone <https://evil.example|x> [y](https://evil.example) {{password}} <b>h</b> ${'x'.repeat(10_000)}`
  await panel.store.change(() =>
    panel.store.sqlite.prepare('UPDATE webhooks SET disabled_reason = ? WHERE id = ?').run(evil, hook),
  )
  await pass(panel, 2)
  const [text] = texts(receiver)
  const line = text!.split('\n')[1]!
  expect(line).toMatch(/^a b {2,}everyone ‹evil\.example\|x› \(y\)\(evil\.example\) \{\{password\}\} ‹b›h‹\/b› x+…$/)
  expect([[...line].length, text!.split('\n').length]).toEqual([240, 5])
})

test('what ended long ago is forgotten', async () => {
  const panel = await started()
  const hook = await cause(panel)
  await pass(panel, 2)
  await repair(panel, hook)
  await pass(panel, 8)
  await panel.clock.leap(90 * 24 * hour)
  await pass(panel, 2)
  expect(await alertsOf(panel)).toEqual([])
})
