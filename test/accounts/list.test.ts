import { expect, test, vi } from 'vitest'
import { startPanel, type TestPanel } from '../harness.ts'

async function usernames(panel: TestPanel, query: string): Promise<string[]> {
  const { status, body } = await panel.get(`/accounts?${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.items.map(({ username }: { username: string }) => username)
}

test('accounts are found by part of the username, in any case, an exact match first', async () => {
  const panel = await startPanel()
  for (const name of ['malice', 'alicebob', 'alice', 'bob']) await panel.account(name)
  expect(await usernames(panel, '')).toEqual(['malice', 'alicebob', 'alice', 'bob'])
  expect(await usernames(panel, 'q=alice')).toEqual(['alice', 'malice', 'alicebob'])
  expect(await usernames(panel, 'q=ALICE&per_page=1')).toEqual(['alice'])
  expect((await panel.get('/accounts?q=alice&per_page=1')).body.total).toBe(3)
  expect(await usernames(panel, 'q=')).toHaveLength(4)
})

test('wildcards and quotes are taken as they are', async () => {
  const panel = await startPanel()
  await panel.account('alice')
  for (const q of ['%', '_', 'a%e', 'a_ice', '\\', "'", "' OR 1=1 --", '*', '\0']) {
    const { body } = await panel.get(`/accounts?q=${encodeURIComponent(q)}`)
    expect(body, q).toEqual({ items: [], total: 0 })
  }
})

test('pages do not overlap, and what is out of range is refused', async () => {
  const panel = await startPanel()
  for (const name of ['a1', 'a2', 'a3']) await panel.account(name)
  expect(await usernames(panel, 'per_page=2')).toEqual(['a1', 'a2'])
  expect(await usernames(panel, 'per_page=2&page=2')).toEqual(['a3'])
  expect(await usernames(panel, 'per_page=2&page=3')).toEqual([])
  expect(await usernames(panel, 'per_page=500&page=1000000000')).toEqual([])
  for (const [query, field] of [
    ['page=0', 'page'],
    ['page=-1', 'page'],
    ['page=1.5', 'page'],
    ['page=', 'page'],
    ['page=1e3', 'page'],
    ['page=0x10', 'page'],
    ['page=%201', 'page'],
    ['page=99999999999999999999', 'page'],
    ['per_page=0', 'per_page'],
    ['per_page=501', 'per_page'],
    ['page=1&page=2', 'page'],
    [`q=${'a'.repeat(65)}`, 'q'],
  ]) {
    const { status, code, body } = await panel.get(`/accounts?${query}`)
    expect([status, code, Object.keys(body.fields)], query).toEqual([400, 'validation', [field]])
  }
})

test('usage and status are measured by a tick, without a job or an event', async () => {
  const panel = await startPanel()
  const alice = await panel.account('alice')
  await panel.clock.advance(15 * 60_000)
  const usage = async () => (await panel.get(`/accounts/${alice.id}/usage`)).body
  await vi.waitFor(async () => expect((await usage()).measured_at).toBe(panel.clock.now()), { interval: 1 })
  const body = await usage()
  expect(body.inodes.used).toBeGreaterThan(0)
  expect(body.disk_mb).not.toHaveProperty('limit')
  expect([panel.events(), panel.jobs()]).toEqual([[], []])
})
