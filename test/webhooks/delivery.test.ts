import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { webhookBody } from '../../src/contract/events.ts'
import { isGenuine, panelSignature } from '../../src/shared/signature.ts'
import { turns } from '../clock.ts'
import { startPanel } from '../harness.ts'
import { noticesOf } from '../notices/fixtures.ts'
import { deliveries, event, hour, leap, minute, sent, show, webhook } from './helpers.ts'
import { startReceiver, status } from './receiver.ts'

describe('delivery', () => {
  test('carries the event, signed twice over, with the headers of the contract', async () => {
    const panel = await startPanel()
    const receiver = await startReceiver(status(204))
    const hook = await webhook(panel, { url: receiver.url, events: ['package.created'] })
    await event(panel, 'small')
    await sent(panel)
    const [{ headers, body, method }] = receiver.received as [(typeof receiver.received)[0]]
    const payload = JSON.parse(body)
    expect(webhookBody('package.created').parse(payload)).toEqual(payload)
    expect(method).toBe('POST')
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Panel-Webhooks/1',
      'x-panel-event': 'package.created',
      'x-panel-delivery': `${payload.id}-1`,
      'x-panel-timestamp': String(Math.floor(panel.clock.now() / 1000)),
    })
    const { 'x-panel-timestamp': timestamp, 'x-panel-signature': signature } = headers as Record<string, string>
    const now = Math.floor(panel.clock.now() / 1000)
    expect(isGenuine(hook.secret, { timestamp: timestamp!, signature: signature! }, body, now)).toBe(true)
    expect(isGenuine(hook.secret, { timestamp: timestamp!, signature: signature! }, body, now + 301)).toBe(false)
    expect(isGenuine(hook.secret, { timestamp: timestamp!, signature: signature! }, `${body} `, now)).toBe(false)
    const fresh = Math.floor(Date.now() / 1000)
    expect(headers['webhook-id']).toBe(payload.id)
    expect(new Webhook(hook.secret).sign(payload.id, new Date(now * 1000), body)).toBe(headers['webhook-signature'])
    expect(panelSignature(hook.secret, fresh, body)).toMatch(/^sha256=[0-9a-f]{64}$/)
    expect(await deliveries(panel, hook.id)).toEqual([
      {
        id: expect.any(String),
        webhook_id: hook.id,
        event_id: payload.id,
        event_type: 'package.created',
        status: 'succeeded',
        created_at: panel.clock.now(),
        attempts: [{ number: 1, at: panel.clock.now(), duration_ms: expect.any(Number), http_status: 204 }],
      },
    ])
  })

  test('goes to those subscribed to the type: by name, by group, or all', async () => {
    const panel = await startPanel()
    const lists = [['*'], ['package.*'], ['account.*'], ['package.created', 'job.failed'], undefined]
    const receivers = await Promise.all(lists.map(() => startReceiver()))
    for (const [place, events] of lists.entries())
      await webhook(panel, { url: receivers[place]!.url, ...(events ? { events } : {}) })
    await event(panel, 'small')
    await sent(panel)
    expect(receivers.map(({ received }) => received.length)).toEqual([1, 1, 0, 1, 1])
  })

  test('keeps its bytes and its id through every attempt, and counts them', async () => {
    const panel = await startPanel()
    const receiver = await startReceiver(status(500, 'not now'))
    const hook = await webhook(panel, { url: receiver.url })
    await event(panel, 'small')
    await sent(panel)
    receiver.answer = status(200)
    await leap(panel, 1.1 * minute)
    const [first, second] = receiver.received
    expect(second!.body).toBe(first!.body)
    expect([first, second].map((one) => one!.headers['x-panel-delivery']!.split('-')[1])).toEqual(['1', '2'])
    expect(second!.headers['x-panel-timestamp']).not.toBe(first!.headers['x-panel-timestamp'])
    const [delivery] = await deliveries(panel, hook.id)
    expect(delivery.status).toBe('succeeded')
    expect(delivery.attempts).toMatchObject([
      { number: 1, http_status: 500, error: 'status', response_start: 'not now' },
      { number: 2, http_status: 200 },
    ])
    expect((await show(panel, hook.id)).consecutive_failures).toBe(0)
  })

  test('tries a delivery eight times on the steps of the contract, never early and at most a tenth late', async () => {
    const panel = await startPanel()
    const receiver = await startReceiver(status(410))
    const hook = await webhook(panel, { url: receiver.url })
    await event(panel, 'small')
    await sent(panel)
    for (const [place, step] of [minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour, 12 * hour, 24 * hour].entries()) {
      expect(receiver.received).toHaveLength(place + 1)
      const [waiting] = await deliveries(panel, hook.id)
      expect(waiting.status).toBe('retrying')
      const wait = waiting.next_attempt_at - panel.clock.now()
      expect(wait).toBeGreaterThanOrEqual(step)
      expect(wait).toBeLessThanOrEqual(1.1 * step)
      await leap(panel, wait - 1)
      expect(receiver.received).toHaveLength(place + 1)
      await leap(panel, 1)
    }
    const [ended] = await deliveries(panel, hook.id)
    expect(ended).toMatchObject({ status: 'abandoned' })
    expect(ended).not.toHaveProperty('next_attempt_at')
    expect(ended.attempts.map(({ number }: { number: number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    await leap(panel, 100 * hour)
    expect(receiver.received).toHaveLength(8)
    expect((await show(panel, hook.id)).consecutive_failures).toBe(8)
  })

  test.each([
    [301, 'redirect'],
    [307, 'redirect'],
    [304, 'redirect'],
    [404, 'status'],
    [429, 'status'],
    [503, 'status'],
  ])('counts %i as a failure: %s, and follows no redirect', async (code, error) => {
    const panel = await startPanel()
    const elsewhere = await startReceiver()
    const receiver = await startReceiver(status(code, '', { location: elsewhere.url }))
    const hook = await webhook(panel, { url: receiver.url })
    await event(panel, 'small')
    await sent(panel)
    expect((await deliveries(panel, hook.id))[0].attempts).toMatchObject([{ http_status: code, error }])
    expect(elsewhere.received).toEqual([])
  })

  test('fails a delivery to an unreachable receiver with `connect`', async () => {
    const panel = await startPanel()
    const hook = await webhook(panel, { url: 'http://127.0.0.1:1/hook' })
    await event(panel, 'small')
    await sent(panel)
    const [delivery] = await deliveries(panel, hook.id)
    expect(delivery.attempts).toMatchObject([{ number: 1, error: 'connect' }])
    expect(delivery.attempts[0]).not.toHaveProperty('http_status')
  })

  test('fails a delivery to a receiver that does not respond within 10 seconds with `timeout`', async () => {
    const panel = await startPanel()
    const receiver = await startReceiver(() => {})
    const hook = await webhook(panel, { url: receiver.url })
    await event(panel, 'small')
    await receiver.got(1)
    await panel.clock.advance(9_900)
    expect((await deliveries(panel, hook.id))[0]).toMatchObject({ status: 'pending', attempts: [] })
    await panel.clock.advance(200)
    await sent(panel)
    expect((await deliveries(panel, hook.id))[0]).toMatchObject({
      status: 'retrying',
      attempts: [{ number: 1, error: 'timeout' }],
    })
  })
})

describe('webhook', () => {
  test('disables a webhook after 50 consecutive failures, within a minute, with a reason, and skips due deliveries', async () => {
    const panel = await startPanel()
    const receiver = await startReceiver(status(500))
    const hook = await webhook(panel, { url: receiver.url })
    for (let count = 0; count < 60; count++) await event(panel, `small${count}`)
    const began = panel.clock.now()
    while ((await show(panel, hook.id)).enabled) {
      await sent(panel)
      await panel.clock.advance(250)
    }
    expect(panel.clock.now() - began).toBeLessThan(minute)
    expect(receiver.received).toHaveLength(50)
    expect(await show(panel, hook.id)).toMatchObject({
      enabled: false,
      consecutive_failures: 50,
      disabled_reason: `50 attempts in a row have failed since ${new Date(began).toISOString().slice(0, 16).replace('T', ' ')} UTC; the last: it answered with an error (HTTP 500).`,
    })
    expect(await noticesOf(panel)).toEqual([
      {
        kind: 'webhook-off',
        severity: 'error',
        object: 'webhook',
        object_id: hook.id,
        name: new URL(receiver.url).host,
        detail: (await show(panel, hook.id)).disabled_reason,
        since: expect.any(Number),
        operation: 'updateWebhook',
        command: `panel webhooks show ${hook.id}`,
        mend: `panel webhooks update ${hook.id}`,
      },
    ])
    const all = await deliveries(panel, hook.id)
    expect(all.map((one) => one.status)).toEqual(Array(60).fill('skipped'))
    await event(panel, 'later')
    await leap(panel, 30 * hour)
    expect(receiver.received).toHaveLength(50)
    expect((await deliveries(panel, hook.id))[0]).toMatchObject({ status: 'skipped', attempts: [] })

    receiver.answer = status(200)
    const on = await panel.patch(`/webhooks/${hook.id}`, { enabled: true })
    expect(on.body).toMatchObject({ enabled: true, consecutive_failures: 0 })
    expect(on.body).not.toHaveProperty('disabled_reason')
    expect(await noticesOf(panel)).toEqual([])
    await event(panel, 'again')
    await sent(panel)
    expect(receiver.received).toHaveLength(51)
    const again = await panel.post(`/webhooks/${hook.id}/redeliver`, { since: began })
    expect([again.status, again.body]).toEqual([202, { count: 61 }])
    await sent(panel)
    expect(receiver.received).toHaveLength(112)
    expect((await deliveries(panel, hook.id)).every((one) => one.status === 'succeeded')).toBe(true)
  })

  test('a webhook that was disabled by redirects says what to do', async () => {
    const panel = await startPanel()
    const receiver = await startReceiver(status(301, '', { location: 'https://hooks.example/' }))
    const hook = await webhook(panel, { url: receiver.url })
    for (let count = 0; count < 60; count++) await event(panel, `small${count}`)
    while ((await show(panel, hook.id)).enabled) {
      await sent(panel)
      await panel.clock.advance(250)
    }
    expect((await show(panel, hook.id)).disabled_reason).toMatch(
      /; the last: it answered with a redirect, which is not followed: set the URL that it leads to \(HTTP 301\)\.$/,
    )
  })

  test('sends a failing webhook one request at a time, at most a second apart, and a recovered one four again', async () => {
    const panel = await startPanel()
    const inUse: (() => void)[] = []
    let [open, max, code, holds] = [0, 0, 500, true]
    const receiver = await startReceiver((_request, response) => {
      max = Math.max(max, ++open)
      const answer = () => {
        open--
        response.writeHead(code).end()
      }
      if (holds) inUse.push(answer)
      else void turns(10).then(answer)
    })
    const release = (goesOn: boolean) => {
      holds = goesOn
      for (const answer of inUse.splice(0)) answer()
    }
    const hook = await webhook(panel, { url: receiver.url })
    await Promise.all(Array.from({ length: 20 }, (_, count) => event(panel, `small${count}`)))
    await receiver.got(4)
    release(false)
    await sent(panel)
    expect([max, receiver.received.length]).toEqual([4, 4])
    max = 0
    const times: number[] = []
    for (let count = 5; count <= 12; count++) {
      const seen = receiver.received.length
      while (receiver.received.length === seen) await panel.clock.advance(50).then(() => sent(panel))
      times.push(panel.clock.now())
    }
    expect(max).toBe(1)
    expect(Math.max(...times.slice(1).map((time, place) => time - times[place]!))).toBeLessThanOrEqual(1000)
    ;[code, holds] = [200, true]
    await panel.clock.advance(1000)
    await receiver.got(13)
    release(true)
    await receiver.got(17)
    release(false)
    await sent(panel)
    expect([max, receiver.received.length]).toEqual([4, 20])
    expect((await show(panel, hook.id)).consecutive_failures).toBe(0)
  })

  test('resets the streak on any success', async () => {
    const panel = await startPanel()
    const receiver = await startReceiver(status(500))
    const hook = await webhook(panel, { url: receiver.url })
    await event(panel, 'one')
    await sent(panel)
    await leap(panel, 2000)
    expect((await show(panel, hook.id)).consecutive_failures).toBe(1)
    receiver.answer = status(200)
    await event(panel, 'two')
    await sent(panel)
    expect((await show(panel, hook.id)).consecutive_failures).toBe(0)
    expect((await deliveries(panel, hook.id)).map((one) => one.status)).toEqual(['succeeded', 'retrying'])
  })

  test('logs an attempt in flight of a webhook disabled meanwhile, and does not count it', async () => {
    const panel = await startPanel()
    const answers: ((code: number) => void)[] = []
    const receiver = await startReceiver((_request, response) => {
      answers.push((code) => response.writeHead(code).end())
    })
    const hook = await webhook(panel, { url: receiver.url })
    await event(panel, 'one')
    await event(panel, 'two')
    await receiver.got(2)
    await panel.patch(`/webhooks/${hook.id}`, { enabled: false })
    expect((await deliveries(panel, hook.id)).map((one) => one.status)).toEqual(['skipped', 'skipped'])
    for (const [place, answer] of answers.entries()) answer([200, 500][place]!)
    await sent(panel)
    const all = await deliveries(panel, hook.id)
    expect(all.map((one) => one.status).sort()).toEqual(['skipped', 'succeeded'])
    expect(all.every((one) => one.attempts.length === 1)).toBe(true)
    const off = await show(panel, hook.id)
    expect([off.consecutive_failures, off.disabled_reason]).toEqual([0, undefined])
  })
})

describe('redelivery', () => {
  test('sends the same event again, with the next number, and leaves the schedule alone', async () => {
    const panel = await startPanel()
    const receiver = await startReceiver(status(500))
    const hook = await webhook(panel, { url: receiver.url })
    await event(panel, 'small')
    await sent(panel)
    const [before] = await deliveries(panel, hook.id)
    await leap(panel, 2000)
    panel.forget()
    const requests = await panel.post(`/webhooks/${hook.id}/deliveries/${before.id}/redeliver`)
    expect(requests.status).toBe(202)
    expect(requests.body).toMatchObject({ id: before.id, status: 'retrying', next_attempt_at: panel.clock.now() })
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
    await sent(panel)
    const [after] = await deliveries(panel, hook.id)
    expect(after).toMatchObject({ status: 'retrying', next_attempt_at: before.next_attempt_at })
    expect(receiver.received.map((one) => one.headers['x-panel-delivery'])).toEqual([
      `${before.event_id}-1`,
      `${before.event_id}-2`,
    ])
    expect(receiver.received[1]!.body).toBe(receiver.received[0]!.body)
    receiver.answer = status(200)
    await leap(panel, before.next_attempt_at - panel.clock.now())
    expect((await deliveries(panel, hook.id))[0]).toMatchObject({ status: 'succeeded' })
    expect(receiver.received).toHaveLength(3)
  })

  test('sends what was delivered once more, which stays delivered, whatever the answer', async () => {
    const panel = await startPanel()
    const receiver = await startReceiver()
    const hook = await webhook(panel, { url: receiver.url })
    await event(panel, 'small')
    await sent(panel)
    const [delivery] = await deliveries(panel, hook.id)
    receiver.answer = status(500)
    await panel.post(`/webhooks/${hook.id}/deliveries/${delivery.id}/redeliver`)
    await sent(panel)
    const [after] = await deliveries(panel, hook.id)
    expect(after.status).toBe('succeeded')
    expect(after.attempts).toMatchObject([{ http_status: 200 }, { number: 2, error: 'status' }])
    expect((await show(panel, hook.id)).consecutive_failures).toBe(1)
    await leap(panel, 48 * hour)
    expect(receiver.received).toHaveLength(2)
  })

  test('reaches a webhook that is off with a redelivery and a ping, once, without counting', async () => {
    const panel = await startPanel()
    const receiver = await startReceiver(status(500))
    const hook = await webhook(panel, { url: receiver.url, enabled: false })
    await event(panel, 'small')
    await sent(panel)
    const [skipped] = await deliveries(panel, hook.id)
    expect(skipped).toMatchObject({ status: 'skipped', attempts: [] })
    await panel.post(`/webhooks/${hook.id}/deliveries/${skipped.id}/redeliver`)
    await panel.post(`/webhooks/${hook.id}/test`)
    await sent(panel)
    await leap(panel, 48 * hour)
    expect(receiver.bodies.map(({ type }) => type).sort()).toEqual(['package.created', 'webhook.ping'])
    expect((await deliveries(panel, hook.id)).map((one) => one.status)).toEqual(['skipped', 'skipped'])
    expect((await show(panel, hook.id)).consecutive_failures).toBe(0)
    receiver.answer = status(200)
    await panel.post(`/webhooks/${hook.id}/deliveries/${skipped.id}/redeliver`)
    await sent(panel)
    expect((await deliveries(panel, hook.id)).map((one) => one.status)).toEqual(['skipped', 'succeeded'])
  })
})

describe('rotated secret', () => {
  const signedBy = (secret: string, one: { headers: Record<string, string>; body: string }): boolean =>
    one.headers['x-panel-signature'] === panelSignature(secret, Number(one.headers['x-panel-timestamp']), one.body)
  const standardBy = (secret: string, one: { headers: Record<string, string>; body: string }): boolean => {
    const at = new Date(Number(one.headers['webhook-timestamp']) * 1000)
    return one.headers['webhook-signature']!.split(' ').includes(
      new Webhook(secret).sign(one.headers['webhook-id']!, at, one.body),
    )
  }

  test('signs at once, together with the old one during its grace period', async () => {
    const panel = await startPanel()
    const receiver = await startReceiver()
    const hook = await webhook(panel, { url: receiver.url })
    panel.forget()
    const rotated = await panel.post(`/webhooks/${hook.id}/rotate-secret`, { grace_hours: 24 })
    expect(rotated.status).toBe(200)
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
    const { secret } = rotated.body
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    await event(panel, 'one')
    await sent(panel)
    await leap(panel, 24 * hour)
    await event(panel, 'two')
    await sent(panel)
    const [inGrace, later] = receiver.received as [(typeof receiver.received)[0], (typeof receiver.received)[0]]
    expect([signedBy(secret, inGrace), signedBy(hook.secret, inGrace)]).toEqual([true, false])
    expect([standardBy(secret, inGrace), standardBy(hook.secret, inGrace)]).toEqual([true, true])
    expect([standardBy(secret, later), standardBy(hook.secret, later)]).toEqual([true, false])
  })

  test('ends the old secret at once without a grace period, and any earlier one with it', async () => {
    const panel = await startPanel()
    const receiver = await startReceiver()
    const hook = await webhook(panel, { url: receiver.url })
    const first = (await panel.post(`/webhooks/${hook.id}/rotate-secret`, { grace_hours: 72 })).body.secret
    const { secret } = (await panel.post(`/webhooks/${hook.id}/rotate-secret`)).body
    await event(panel, 'one')
    await sent(panel)
    const [one] = receiver.received as [(typeof receiver.received)[0]]
    expect([hook.secret, first, secret].map((each) => standardBy(each, one))).toEqual([false, false, true])
  })
})
