import { mkdtempSync, rmSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Dispatcher } from '../../src/areas/webhooks/dispatch.ts'
import { Lanes } from '../../src/areas/webhooks/lanes.ts'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import { recordEvent } from '../../src/runtime/events/emit.ts'
import { prune } from '../../src/runtime/events/prune.ts'
import { serverNames } from '../../src/runtime/settings/server-names.ts'
import { compose, type Panel } from '../../src/server/compose.ts'
import { StoredNodeCertificates } from '../../src/server/node-certificates.ts'
import { OwnCertificate } from '../../src/server/own-certificate.ts'
import { agentWithOptions } from '../agent.ts'
import { turns } from '../clock.ts'
import { startPanel, type TestPanel } from '../harness.ts'
import { openStore } from '../stored.ts'
import { deliveries, event, hour, leap, minute, sent, show, webhook } from './helpers.ts'
import { startReceiver, status } from './receiver.ts'

const day = 24 * hour

describe('concurrent attempts', () => {
  const lanesOf = (...ids: string[]): Lanes => {
    const lanes = new Lanes()
    for (const id of ids) lanes.touch(id, 'server', 0)
    return lanes
  }

  test('shares attempts one by one among webhooks, at most four each', () => {
    expect([...lanesOf('a', 'b', 'c').share(1, 8)]).toEqual([
      ['a', 3],
      ['b', 3],
      ['c', 2],
    ])
    expect([...lanesOf('a', 'b').share(1, 64).values()]).toEqual([4, 4])
    expect(lanesOf('a').share(1, 0).size).toBe(0)
  })

  test('gives free attempts first to webhooks not served yet', () => {
    const lanes = lanesOf('a', 'b', 'c')
    const served: string[] = []
    for (let round = 0; round < 6; round++) {
      const [[id]] = [...lanes.share(1, 1)] as [[string, number]]
      served.push(id)
      lanes.began(id, 1)
      lanes.ended(id, 0)
    }
    expect(served.join('')).toBe('abcabc')
  })

  test('limits one account to sixteen attempts, however many webhooks it has', () => {
    const lanes = new Lanes()
    for (let count = 0; count < 20; count++) lanes.touch(`w${count}`, 'alice', 0)
    lanes.touch('other', 'bob', 0)
    const shares = lanes.share(1, 64)
    expect([...shares.values()].reduce((sum, one) => sum + one)).toBe(20)
    expect(shares.get('other')).toBe(4)
  })

  test('limits a failing webhook to one attempt, and to none while it rests', () => {
    const lanes = lanesOf('a')
    lanes.began('a', 1)
    lanes.ended('a', 100)
    lanes.refresh('a', 0, true)
    expect(lanes.share(99, 64).size).toBe(0)
    expect(lanes.next()).toBe(100)
    expect([...lanes.share(100, 64)]).toEqual([['a', 1]])
  })
})

test('if one of 20 receivers hangs, the others still get everything', async () => {
  const panel = await startPanel()
  const hanging: ServerResponse[] = []
  const receiver = await startReceiver((request, response) => {
    if (request.url === '/hang') hanging.push(response)
    else response.writeHead(204).end()
  })
  const origin = receiver.url.replace('/hook', '')
  for (let count = 0; count < 20; count++) await webhook(panel, { url: `${origin}/${count === 7 ? 'hang' : count}` })
  const events = 30
  for (let count = 0; count < events; count++) await event(panel, `p${count}`)
  // The clock stands still: nothing that hangs is ever given up, and nobody looks again.
  await receiver.got(4 + 19 * events)
  const got = (url: string): number => receiver.received.filter((one) => one.url === url).length
  for (let count = 0; count < 20; count++) if (count !== 7) expect([count, got(`/${count}`)]).toEqual([count, events])
  expect(hanging.map((response) => response.closed)).toEqual([false, false, false, false])
}, 60_000)

test('polling makes up for a lost signal', async () => {
  const panel = await startPanel()
  const receiver = await startReceiver()
  await webhook(panel, { url: receiver.url })
  panel.panel.runtime.signals.removeAllListeners('delivery')
  await event(panel, 'small')
  await sent(panel)
  expect(receiver.received).toHaveLength(0)
  await panel.clock.advance(10_000)
  await sent(panel)
  expect(receiver.received).toHaveLength(1)
})

test('a clock that is set back delays nothing', async () => {
  const panel = await startPanel()
  const receiver = await startReceiver(status(500))
  const hook = await webhook(panel, { url: receiver.url })
  await event(panel, 'small')
  await sent(panel)
  await leap(panel, -3 * hour)
  receiver.answer = status(200)
  await panel.clock.advance(70_000)
  await sent(panel)
  expect((await deliveries(panel, hook.id))[0].status).toBe('succeeded')
})

test('a clock that is set back during an attempt does not delay a redelivery requested since', async () => {
  const panel = await startPanel()
  const hanging: ServerResponse[] = []
  const receiver = await startReceiver((_request, response) => void hanging.push(response))
  const hook = await webhook(panel, { url: receiver.url })
  await event(panel, 'small')
  await receiver.got(1)
  const [{ id }] = await deliveries(panel, hook.id)
  await panel.post(`/webhooks/${hook.id}/deliveries/${id}/redeliver`)
  await turns()
  panel.clock.jump(-10 * minute)
  receiver.answer = status(200)
  hanging[0]!.writeHead(200).end()
  await receiver.got(2)
  await sent(panel)
  expect((await deliveries(panel, hook.id))[0]).toMatchObject({
    status: 'succeeded',
    attempts: [
      { number: 1, http_status: 200 },
      { number: 2, http_status: 200 },
    ],
  })
})

test('a clock that is set back during a redelivery does not delay the schedule', async () => {
  const panel = await startPanel()
  const hanging: ServerResponse[] = []
  const receiver = await startReceiver(status(500))
  const hook = await webhook(panel, { url: receiver.url })
  await event(panel, 'small')
  await sent(panel)
  receiver.answer = (_request, response) => void hanging.push(response)
  const [{ id }] = await deliveries(panel, hook.id)
  await panel.post(`/webhooks/${hook.id}/deliveries/${id}/redeliver`)
  await panel.clock.advance(1_000)
  await receiver.got(2)
  panel.clock.jump(-3 * hour)
  receiver.answer = status(200)
  hanging[0]!.writeHead(500).end()
  await sent(panel)
  await panel.clock.advance(70_000)
  await sent(panel)
  expect((await deliveries(panel, hook.id))[0]).toMatchObject({
    status: 'succeeded',
    attempts: [{ http_status: 500 }, { http_status: 500 }, { http_status: 200 }],
  })
})

test('a clock that is set back while the server is down delays nothing', async () => {
  const panel = await startPanel()
  const receiver = await startReceiver(() => {})
  const hook = await webhook(panel, { url: receiver.url })
  for (let count = 0; count < 6; count++) await event(panel, `p${count}`)
  await receiver.got(4)
  const [oldest] = (await deliveries(panel, hook.id)).reverse()
  await panel.post(`/webhooks/${hook.id}/deliveries/${oldest.id}/redeliver`)
  const copy = panel.store.sqlite.serialize()
  panel.clock.jump(-3 * hour)
  receiver.answer = status(200)
  const revived = await revive(panel, copy)
  await (revived.engines.get('webhooks') as Dispatcher).idle()
  expect(new Set(receiver.bodies.slice(4).map(({ id }) => id)).size).toBe(6)
  expect(receiver.received).toHaveLength(10)
  await receiver.close()
})

test('attempts in flight when the server died are resent at once, with the next number', async () => {
  const panel = await startPanel()
  const receiver = await startReceiver(() => {})
  const hook = await webhook(panel, { url: receiver.url })
  await event(panel, 'small')
  await receiver.got(1)
  const copy = panel.store.sqlite.serialize()
  const revived = await revive(panel, copy)
  receiver.answer = status(200)
  await receiver.got(2)
  await (revived.engines.get('webhooks') as Dispatcher).idle()
  const [first, second] = receiver.received
  expect([first, second].map((one) => one!.headers['x-panel-delivery']!.split('-')[1])).toEqual(['1', '2'])
  const answer = await revived.app.fetch(
    new Request(`https://host.example:7711/api/v1/webhooks/${hook.id}/deliveries`),
    { local: true },
  )
  const { items } = (await answer.json()) as { items: { status: string; attempts: object[] }[] }
  expect(items[0]!.status).toBe('succeeded')
  expect(items[0]!.attempts).toMatchObject([
    { number: 1, error: 'interrupted', duration_ms: 0 },
    { number: 2, http_status: 200 },
  ])
  await receiver.close()
})

/** A second life of a panel that died: its store as it was on the disk. */
async function revive(panel: TestPanel, copy: Buffer): Promise<Panel> {
  const dir = mkdtempSync(join(tmpdir(), 'panel-revived-'))
  const file = join(dir, 'panel.db')
  const { writeFileSync } = await import('node:fs')
  writeFileSync(file, copy)
  const store = openStore(file)
  const { log } = panel.panel.runtime
  const root = join(dir, 'host')
  const revived = await compose({
    store,
    host: agentWithOptions({ driver: createDirectoryDriver({ root }), root, log }),
    certificate: new OwnCertificate(
      join(dir, 'tls'),
      () => serverNames(store.db, 'host.example'),
      () => panel.clock.now(),
    ),
    nodeCertificates: new StoredNodeCertificates(join(dir, 'tls/nodes'), () => panel.clock.now()),
    clock: panel.clock,
    log,
    hostname: 'host.example',
    origin: () => 'https://host.example:7711',
    keys: [Buffer.alloc(32, 7)],
  })
  onTestFinished(async () => {
    await revived.stop()
    store.close()
    rmSync(dir, { recursive: true, force: true })
  })
  return revived
}

test('deliveries and attempts are pruned with their events after 30 days, in small steps', async () => {
  const panel = await startPanel()
  const receiver = await startReceiver()
  const hook = await webhook(panel, { url: receiver.url })
  for (let count = 0; count < 30; count++) await event(panel, `old${count}`)
  await sent(panel)
  panel.clock.jump(29 * day)
  await event(panel, 'young')
  await sent(panel)
  panel.clock.jump(day + 1)
  await prune(panel.panel.runtime)
  const count = (table: string) => panel.store.sqlite.prepare(`SELECT count(*) FROM ${table}`).pluck().get()
  expect(['events', 'deliveries', 'delivery_attempts'].map(count)).toEqual([1, 1, 1])
  expect(await deliveries(panel, hook.id)).toMatchObject([{ event_type: 'package.created', status: 'succeeded' }])
})

test('a store that fails delays deliveries and loses none', async () => {
  const panel = await startPanel()
  const receiver = await startReceiver()
  const hook = await webhook(panel, { url: receiver.url })
  await event(panel, 'one')
  await receiver.got(1)
  const { sqlite } = panel.store
  await panel.store.change(
    () =>
      void sqlite.exec(
        "CREATE TEMP TRIGGER full BEFORE INSERT ON delivery_attempts BEGIN SELECT RAISE(ABORT, 'full'); END",
      ),
  )
  await event(panel, 'two')
  await panel.clock.advance(3000)
  expect(panel.logged.some((line) => line.startsWith('error deliveries could not be'))).toBe(true)
  await panel.store.change(() => void sqlite.exec('DROP TRIGGER full'))
  await panel.clock.advance(3000)
  await sent(panel)
  expect((await deliveries(panel, hook.id)).map((one) => one.status)).toEqual(['succeeded', 'succeeded'])
  expect(receiver.received).toHaveLength(2)
})

test('a secret that cannot be decrypted fails its own deliveries, and the log says so', async () => {
  const panel = await startPanel()
  const receiver = await startReceiver()
  const [broken, well] = [await webhook(panel, { url: receiver.url }), await webhook(panel, { url: receiver.url })]
  await panel.store.change(
    () => void panel.store.sqlite.prepare("UPDATE webhooks SET secret = 'v1.AAAA' WHERE id = ?").run(broken.id),
  )
  await event(panel, 'small')
  await sent(panel)
  expect((await deliveries(panel, well.id))[0].status).toBe('succeeded')
  expect((await deliveries(panel, broken.id))[0].status).toBe('retrying')
  expect(panel.logged.some((line) => line.startsWith('error a delivery failed here'))).toBe(true)
})

test('a bug in the panel fails a delivery, and the log says so', async () => {
  const broken = (): never => {
    throw new TypeError('not a function')
  }
  const panel = await startPanel({ outgoing: { allows: broken } })
  const hook = await webhook(panel, { url: 'https://8.8.8.8/hook' })
  await event(panel, 'small')
  await sent(panel)
  expect((await deliveries(panel, hook.id))[0]).toMatchObject({ status: 'retrying', attempts: [{ error: 'connect' }] })
  expect(panel.logged.some((line) => line.startsWith('error a delivery failed here'))).toBe(true)
})

test('10,000 due deliveries are claimed as fast as they can be sent, and paced when they fail', async () => {
  const panel = await startPanel()
  const receiver = await startReceiver(status(503))
  const hook = await webhook(panel, { url: receiver.url })
  const { runtime } = panel.panel
  const actor = { type: 'root', id: runtime.id() } as const
  await runtime.store.change(() => {
    for (let count = 0; count < 10_000; count++)
      recordEvent(
        runtime,
        { type: 'package.created', object_id: actor.id, details: { name: 'x' } },
        actor,
        'api',
        actor.id,
      )
  })
  const began = panel.clock.now()
  while ((await show(panel, hook.id)).enabled && panel.clock.now() - began < 2 * minute) {
    await sent(panel)
    await panel.clock.advance(500)
  }
  expect(panel.clock.now() - began).toBeLessThan(minute)
  expect(receiver.received).toHaveLength(50)
  const skipped = panel.store.sqlite.prepare("SELECT count(*) FROM deliveries WHERE status = 'skipped'").pluck().get()
  expect(skipped).toBe(10_000)
})
