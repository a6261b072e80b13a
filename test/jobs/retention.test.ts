import { describe, expect, test } from 'vitest'
import { prune } from '../../src/runtime/events/prune.ts'
import { PausedDriver } from '../drivers.ts'
import { startPanel, type TestPanel } from '../harness.ts'
import { timedWork } from '../working.ts'
import { learn } from './fixtures.ts'

const day = 86_400_000
const count = (panel: TestPanel, table: string): number =>
  panel.store.sqlite.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number

/** Moves on by a number of days, to the next hourly pass. */
async function later(panel: TestPanel, days: number): Promise<void> {
  panel.clock.jump(days * day)
  await panel.clock.advance(3_600_000)
}

describe('finished jobs', () => {
  test('keeps finished jobs and their logs for 30 days', async () => {
    const panel = await startPanel()
    await panel.account('alice')
    await later(panel, 29)
    expect([count(panel, 'jobs'), count(panel, 'job_logs') > 0]).toEqual([1, true])
    await later(panel, 1)
    expect([count(panel, 'jobs'), count(panel, 'job_logs')]).toEqual([0, 0])
    expect((await panel.get('/accounts?q=alice')).body.total).toBe(1)
  })
  test('keeps finished jobs for job_days', async () => {
    const panel = await startPanel()
    await panel.patch('/settings', { job_days: 2 })
    expect((await panel.get('/settings')).body).toMatchObject({ job_days: 2, audit_days: 400 })
    await panel.account('alice')
    await later(panel, 1)
    expect(count(panel, 'jobs')).toBe(1)
    await later(panel, 1)
    expect(count(panel, 'jobs')).toBe(0)
  })
  test('deletes finished jobs, and keeps unfinished ones, however old', async () => {
    let driver!: PausedDriver
    const panel = await startPanel({ driver: (root) => (driver = new PausedDriver(root)) })
    learn(panel, { ...panel.panel.runtime.kinds.get('account.create')!, silenceLimitMs: Number.POSITIVE_INFINITY })
    await panel.post('/accounts', { username: 'alice', domain: 'alice.example' })
    await later(panel, 100)
    expect(panel.jobs()).toEqual(['account.create running'])
    driver.release()
    await panel.settle()
    expect((await panel.get('/jobs')).body.items[0].status).toBe('succeeded')
  })
  test('prunes 500 jobs at a time, so that other changes can run in between', async () => {
    timedWork()
    const panel = await startPanel()
    await panel.account('alice')
    const copies = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1600)
      INSERT INTO jobs (id, kind, status, max_attempts, payload, owner_id, actor_type, actor_id, via, request_id, run_at, created_at, finished_at)
      SELECT printf('01K00000000000000000%06d', i), kind, status, max_attempts, payload, owner_id, actor_type, actor_id, via, request_id, run_at, created_at, finished_at
      FROM jobs, n`
    await panel.store.change(() => void panel.store.sqlite.exec(copies))
    panel.clock.jump(31 * day)
    const left: number[] = []
    const pruned = prune(panel.panel.runtime).then(() => left.push(-1))
    while (left.at(-1) !== -1) {
      await panel.store.change(() => undefined)
      left.push(count(panel, 'jobs'))
      await Promise.resolve()
    }
    await pruned
    expect(left).toEqual(expect.arrayContaining([1101, 601, 101, 0]))
  })
})

describe('retention of the audit trail', () => {
  test('keeps the audit trail for 400 days', async () => {
    const panel = await startPanel()
    await panel.post('/packages', { name: 'small' })
    await later(panel, 399)
    await panel.post('/packages', { name: 'large' })
    expect((await panel.get('/audit')).body.total).toBe(2)
    await later(panel, 1)
    const { items } = (await panel.get('/audit')).body
    expect(items.map(({ after }: { after: object }) => after)).toEqual([{ name: 'large' }])
  })
  test('keeps the audit trail for audit_days, append-only within it', async () => {
    const panel = await startPanel()
    await panel.post('/packages', { name: 'small' })
    await panel.patch('/settings', { audit_days: 10 })
    await later(panel, 11)
    expect((await panel.get('/audit')).body.total).toBe(0)
    await panel.post('/packages', { name: 'large' })
    const erase = panel.store.change(() => void panel.store.sqlite.exec('DELETE FROM audit'))
    await expect(erase).rejects.toThrow('append-only')
  })
})

test.each([{ job_days: 0 }, { audit_days: 3651 }, { job_days: null }, { audit_days: 1.5 }])(
  'refuses %j',
  async (body) => {
    const panel = await startPanel()
    const reply = await panel.patch('/settings', body)
    expect([reply.code, Object.keys(reply.body.fields)]).toEqual(['validation', Object.keys(body)])
  },
)
