import { expect, test } from 'vitest'
import type { AccountUsage } from '../../src/host/contract/driver.ts'
import { measuredBy } from '../drivers.ts'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { soon } from '../wait-for.ts'

const hour = 3_600_000
const day = 24 * hour
const noon = Date.UTC(2026, 0, 15, 12)

type Measured = Omit<AccountUsage, 'id'>

/** A host with the test's own measurements. */
async function measuring(first: Measured) {
  let measured = first
  const driver = measuredBy(
    () =>
      async ({ accounts }) =>
        accounts.map(({ id }) => ({ id, ...measured })),
  )
  const panel = await startPanel({ driver })
  const { id } = await panel.account('alice')
  const after = async (ms: number, next: Measured): Promise<void> => {
    measured = next
    panel.clock.jump(ms)
    await panel.patch(`/accounts/${id}`, { contact_email: `a${panel.clock.now()}@elsewhere.example` })
    await panel.settle()
  }
  const history = async (query = ''): Promise<Json> => (await panel.get(`/accounts/${id}/logs/usage${query}`)).body
  const rows = () => panel.store.sqlite.prepare('SELECT count(*) FROM usage_points').pluck().get()
  return { panel, id, after, history, rows }
}

const at = (items: Json[]): string[] => items.map((item) => new Date(item.at).toISOString().slice(0, 13))

test('keeps the last value of each hour and of each day', async () => {
  const { after, history } = await measuring({ diskMb: 1, inodes: 10 })
  await after(hour / 2, { diskMb: 2, inodes: 20 })
  await after(hour, { diskMb: 3, inodes: 30 })
  expect((await history('?step=hour')).items).toEqual([
    { at: noon, disk_mb: 2, inodes: 20 },
    { at: noon + hour, disk_mb: 3, inodes: 30 },
  ])
  await after(day, { diskMb: 4, inodes: 40 })
  expect((await history()).items).toEqual([
    { at: noon - 12 * hour, disk_mb: 3, inodes: 30 },
    { at: noon + 12 * hour, disk_mb: 4, inodes: 40 },
  ])
  expect((await history('?from=2026-01-16&to=2026-01-16&step=hour')).items).toMatchObject([{ at: noon + day + hour }])
})

test('unchanged values take no more space, and hours without a value are not invented', async () => {
  const same = { diskMb: 1, inodes: 10 }
  const { after, history, rows } = await measuring(same)
  for (let n = 0; n < 5; n++) await after(hour, same)
  expect([(await history('?step=hour')).items.length, rows()]).toEqual([6, 2])
  await after(3 * hour, same)
  expect(at((await history('?step=hour')).items).at(-2)).toBe('2026-01-15T17')
  await after(hour / 4, { diskMb: 2, inodes: 10 })
  const { items } = await history('?step=hour')
  expect(items.slice(-2)).toMatchObject([{ disk_mb: 1 }, { at: noon + 8 * hour, disk_mb: 2 }])
})

test('keeps CPU time of each hour, and memory, if the host reports them', async () => {
  const { after, history } = await measuring({ diskMb: 1, inodes: 1, cpuMs: 50_000, memoryMb: 7 })
  await after(hour / 4, { diskMb: 1, inodes: 1, cpuMs: 52_000, memoryMb: 8 })
  await after(hour / 4, { diskMb: 1, inodes: 1, cpuMs: 53_000, memoryMb: 9 })
  await after(hour, { diskMb: 1, inodes: 1, cpuMs: 1_000, memoryMb: 9 })
  expect((await history('?step=hour')).items).toEqual([
    { at: noon, disk_mb: 1, inodes: 1, cpu_s: 3, memory_mb: 9 },
    { at: noon + hour, disk_mb: 1, inodes: 1, cpu_s: 1, memory_mb: 9 },
  ])
  expect((await history()).items).toMatchObject([{ cpu_s: 4 }])
})

test('the tick saves 500 accounts per commit, including history', async () => {
  const { panel, id } = await measuring({ diskMb: 1, inodes: 1 })
  const { change, sqlite } = panel.store
  const stored: unknown[] = []
  const points = sqlite.prepare("SELECT count(*) FROM usage_points WHERE step = 'hour'").pluck()
  await copies(panel, id, 600)
  Object.assign(panel.store, {
    change: async (work: () => unknown) => {
      const before = points.get()
      const answer = await change(work)
      if (points.get() !== before) stored.push(points.get())
      return answer
    },
  })
  await panel.clock.advance(15 * 60_000)
  const allStored = async () => {
    await panel.clock.advance(25)
    expect(stored.at(-1)).toBe(601)
  }
  await soon(allStored)
  expect([...new Set(stored)]).toEqual([501, 601])
  expect([panel.events(), panel.jobs()]).toEqual([[], []])
})

/** More accounts, unknown to the host. */
const copies = (panel: TestPanel, id: string, count: number): Promise<void> =>
  panel.store.change(() => {
    const { sqlite } = panel.store
    const row = sqlite.prepare('SELECT * FROM accounts WHERE id = ?').get(id) as Record<string, unknown>
    const { status: _, ...columns } = row
    for (let n = 1; n <= count; n++) {
      const own = {
        id: `01J${String(n).padStart(23, '0')}`,
        username: `copy${n}`,
        main_domain: `copy${n}.example`,
        home_dir: `/home/copy${n}`,
        db_prefix: `copy${n}_`,
        uid: 30_000 + n,
        applied_username: null,
      }
      const values = { ...columns, ...own }
      const names = Object.keys(values)
      sqlite.prepare(`INSERT INTO accounts (${names}) VALUES (${names.map((name) => `@${name}`)})`).run(values)
    }
  })

test('hours over more than 31 days, and invalid days, are refused', async () => {
  const { panel, id } = await measuring({ diskMb: 1, inodes: 1 })
  const error = async (query: string) => {
    const { status, body } = await panel.get(`/accounts/${id}/logs/usage?${query}`)
    return [status, Object.keys(body.fields)]
  }
  expect(await error('step=hour&from=2026-01-01&to=2026-02-01')).toEqual([400, ['from']])
  expect(await error('step=minute')).toEqual([400, ['step']])
  expect(await error('from=2026-13-01')).toEqual([400, ['from']])
  expect((await panel.get(`/accounts/${id}/logs/usage?step=hour&from=2026-01-01&to=2026-01-31`)).status).toBe(200)
})
