import { expect, test, vi } from 'vitest'
import type { AgentClient } from '../../src/host/agent/client/client.ts'
import type { HostClient } from '../../src/host/contract/client.ts'
import { Router } from '../../src/host/nodes/fleet/router.ts'
import { FakeClock } from '../clock.ts'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { soon } from '../wait-for.ts'
import { second } from './second.ts'

const minute = 60_000
const quarter = 15 * minute
const item = { id: '0'.repeat(26), path: '/home/.panel-trash/x', size: 1, deletedAt: 1 }

/** A node that answers pings, but none of these requests. */
function mute(host: AgentClient, ...asks: ('usage' | 'hostTrash' | 'diff')[]) {
  return asks.map((ask) => vi.spyOn(host, ask).mockImplementation(() => new Promise<never>(() => {})))
}

async function twoNodes() {
  const panel = await startPanel()
  const { host } = await second(panel, { name: 'web2' })
  const bob = await panel.account('bob', { node: 'web2' })
  const alice = await panel.account('alice', { node: 'local' })
  return { panel, host, bob, alice }
}

const measuredAt = async (panel: TestPanel, id: string) =>
  (await panel.get(`/accounts/${id}/usage`)).body.measured_at as number

test('a node that does not measure its accounts delays no other', async () => {
  const { panel, host, bob, alice } = await twoNodes()
  const [usage] = mute(host, 'usage')
  const before = await measuredAt(panel, bob.id)
  for (let round = 1; round <= 3; round++) {
    await panel.clock.advance(quarter)
    await soon(async () => expect(await measuredAt(panel, alice.id)).toBe(panel.clock.now()))
    expect(usage).toHaveBeenCalledTimes(round)
  }
  expect(await measuredAt(panel, bob.id)).toBe(before)
  const failed = panel.logged.filter((line) => line.includes('usage could not be measured'))
  expect(failed).toHaveLength(2)
  expect(failed[0]).toContain('Node web2 did not answer within 120 seconds.')
  await panel.clock.advance(2 * minute)
  usage!.mockRestore()
  await panel.clock.advance(quarter - 2 * minute)
  await soon(async () => expect(await measuredAt(panel, bob.id)).toBe(panel.clock.now()))
})

test('the server stops at once while a node does not measure its accounts', async () => {
  const { panel, host } = await twoNodes()
  const [usage] = mute(host, 'usage')
  await panel.clock.advance(quarter)
  await soon(() => expect(usage).toHaveBeenCalledTimes(1))
  await panel.panel.stop()
})

test.each<[seconds: number, ask: (router: Router) => Promise<unknown>, answer: unknown]>([
  [60, (router) => router.hostTrash({ measured: false }), { items: [item] }],
  [600, (router) => router.rotateLogs({ day: '2026-01-14', keepFrom: '2026-01-01' }), null],
  [5, (router) => router.refusedDomains(), { items: ['a.example'] }],
])('work on all nodes goes on after %i seconds without one that does not answer', async (seconds, ask, answer) => {
  const clock = new FakeClock()
  const local = {
    ...{ hostTrash: async () => ({ items: [item] }), rotateLogs: async () => null },
    refusedDomains: async () => ({ items: ['a.example'] }),
  }
  const silent = new Proxy({}, { get: () => () => new Promise<never>(() => {}) })
  const hosts = { local, web2: silent } as unknown as Record<string, HostClient>
  const fleet = { driverOf: (node: string) => hosts[node]!, linked: Object.entries(hosts) }
  const failed: string[] = []
  const router = new Router(fleet, {
    ...{ nodeOf: () => 'local', holdsAccounts: () => true },
    after: (ms, act) => clock.after(ms, act),
    failed: (node, error) => void failed.push(`${node}: ${(error as Error).message}`),
  })
  const requests = ask(router)
  await clock.advance(seconds * 1000)
  expect(await requests).toEqual(answer)
  expect(failed).toEqual([`web2: Node web2 did not answer within ${seconds} seconds.`])
})

const unanswered = 'Node web2 did not answer within 5 seconds.'

test('the trash of all nodes is listed without a node that does not answer, and names it', async () => {
  const { panel, host } = await twoNodes()
  const [trash] = mute(host, 'hostTrash')
  for (const [query, expected] of [
    ['', [200, { items: [], unreachable: [{ node: 'web2', reason: unanswered }] }]],
    ['?node=web2', [503, { detail: unanswered }]],
  ] as const) {
    trash!.mockClear()
    const requests = panel.get(`/trash${query}`)
    await soon(() => expect(trash).toHaveBeenCalledTimes(1))
    await panel.clock.advance(5_000)
    const { status, body } = await requests
    expect([status, body]).toMatchObject(expected)
  }
})

test('the differences of all nodes are listed without a node that does not answer, and name it once', async () => {
  const { panel, host } = await twoNodes()
  const [diff] = mute(host, 'diff')
  const requests = panel.get('/host/diff')
  await soon(() => expect(diff).toHaveBeenCalledTimes(1))
  await panel.clock.advance(5_000)
  const { status, body } = await requests
  expect(status).toBe(200)
  expect(body.differences.filter(({ node }: Json) => node === 'web2')).toEqual([
    { path: '/', change: 'fault', note: unanswered, node: 'web2' },
  ])
  expect(diff).toHaveBeenCalledTimes(1)
})

test('a node that claims the largest sizes is measured all the same', async () => {
  const { panel, host, bob } = await twoNodes()
  const claimed = Number.MAX_SAFE_INTEGER
  const databases = Array.from({ length: 2000 }, (_, n) => ({ name: `bob_${n}`, bytes: claimed }))
  vi.spyOn(host, 'usage').mockImplementation(async ({ accounts }) =>
    accounts.map(({ id }) => ({ id, diskMb: claimed, inodes: claimed, databases })),
  )
  await panel.clock.advance(quarter)
  await soon(async () => expect(await measuredAt(panel, bob.id)).toBe(panel.clock.now()))
  const { disk_used_mb, inodes_used } = (await panel.get(`/accounts/${bob.id}`)).body
  expect([disk_used_mb, inodes_used]).toEqual([2 ** 40, 2 ** 40])
})
