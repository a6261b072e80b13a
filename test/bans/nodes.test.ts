import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { insertBan } from '../../src/areas/bans/store.ts'
import type { BanExchange } from '../../src/host/contract/driver.ts'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { second } from '../nodes/second.ts'
import { soon } from '../wait-for.ts'

const hour = 3_600_000

/** A panel with a node whose answers a test makes up. */
async function withNode(answer: (exchange: BanExchange, count: number) => Promise<unknown>) {
  const panel = await startPanel()
  const { host } = await second(panel, { name: 'web2', debian: true })
  const requests: BanExchange[] = []
  vi.spyOn(host, 'exchangeBans').mockImplementation(((exchange: BanExchange) => {
    requests.push(exchange)
    return answer(exchange, requests.length)
  }) as never)
  return { panel, requests }
}

const ban = async (panel: TestPanel, address: string) =>
  expect((await panel.post('/bans', { address, for_s: 3600 })).status).toBe(201)

/** The addresses that the panel's own machine would drop. */
function dropped(panel: TestPanel): string[] {
  const path = join(panel.dir, 'host/bans')
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : []
}

const found = (first: number, count = 60) =>
  Array.from({ length: count }, (_, n) => ({
    ...{ network: `203.0.${(first + n) >> 8}.${(first + n) & 255}`, service: 'ssh', failures: 10 },
    ...{ logins: [], more: false },
  }))

const reported = async (panel: TestPanel): Promise<number> => (await panel.get('/bans?node=web2')).body.total

test('a node that never answers keeps no other from hearing of bans, and the server stops', async () => {
  const { panel, requests } = await withNode(() => new Promise(() => {}))
  for (const last of [1, 2, 3]) {
    await ban(panel, `198.51.100.${last}`)
    await soon(() => expect(dropped(panel)).toHaveLength(last))
  }
  expect(requests).toHaveLength(1)
  await panel.panel.stop()
})

test('a node that says it has heard of nothing is told everything twice at most', async () => {
  const { panel, requests } = await withNode(async () => ({ seq: 999_999, found: [] }))
  await panel.store.change(() => {
    const [since, until] = [panel.clock.now(), panel.clock.now() + hour]
    for (let n = 0; n < 2500; n++)
      insertBan(panel.store.db, panel.panel.runtime.id(), {
        ...{ address: `10.0.${n >> 8}.${n & 255}`, service: 'manual', failures: 0, reason: '', sample: [] },
        ...{ accounts: [], only_there: false, origin: 'root', node: null, since, until },
      })
  })
  await ban(panel, '198.51.100.1')
  await soon(() => expect(dropped(panel)).toHaveLength(2501))
  await panel.clock.advance(5000)
  expect(requests.length).toBeLessThanOrEqual(2)
})

test.each([
  ['as it answers', () => false],
  ['also if it fails each second time', (count: number) => count % 2 === 0],
])('of a node sixty bans are taken a minute, %s', async (_how, fails) => {
  const { panel, requests } = await withNode(async ({ seq }, count) => {
    if (fails(count)) throw new Error('It failed.')
    return { seq, found: found(count * 60) }
  })
  for (let last = 1; last <= 8; last++) {
    await ban(panel, `198.51.100.${last}`)
    await soon(() => expect(requests.length).toBeGreaterThanOrEqual(last))
  }
  await soon(async () => expect(await reported(panel)).toBe(60))
  panel.clock.jump(60_000)
  const before = requests.length
  for (let last = 11; last <= 12; last++) {
    await ban(panel, `198.51.100.${last}`)
    await soon(() => expect(requests.length).toBeGreaterThan(before + last - 11))
  }
  await soon(async () => expect(await reported(panel)).toBe(120))
})

test('hosts hear which bans a node reported', async () => {
  const { panel, requests } = await withNode(async ({ seq }, count) => ({ seq, found: count === 1 ? found(0, 1) : [] }))
  await ban(panel, '198.51.100.1')
  await soon(async () => expect(await reported(panel)).toBe(1))
  await ban(panel, '198.51.100.2')
  const all = () => requests.flatMap(({ bans }): Json[] => [...bans])
  await soon(() => expect(all().map(({ network }) => network)).toEqual(['198.51.100.1', '203.0.0.0', '198.51.100.2']))
  expect(all().map((one) => one.reported)).toEqual([undefined, true, undefined])
})
