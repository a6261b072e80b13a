import { describe, expect, test } from 'vitest'
import { areasOf } from '../../src/runtime/jobs/coalesce.sql.ts'
import type { JobKind } from '../../src/runtime/jobs/job-kind.ts'
import { enqueue } from '../../src/runtime/jobs/queue.ts'
import type { Actor } from '../../src/runtime/operations/actor.ts'
import type { NewJob } from '../../src/runtime/operations/context.ts'
import { FailingDriver, PausedDriver } from '../drivers.ts'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { soon } from '../wait-for.ts'

const job = async (panel: TestPanel, id: string): Promise<Json> => (await panel.get(`/jobs/${id}`)).body.job

describe('changes of one account while its job waits', () => {
  test('shares one job among changes, which applies the last of them', async () => {
    let driver: PausedDriver | undefined
    const panel = await startPanel({ driver: (root) => (driver = new PausedDriver(root)) })
    const { account } = (await panel.post('/accounts', { username: 'alice', domain: 'alice.example' })).body
    await soon(() => expect(driver?.calls).toEqual(['apply alice']))
    const token = await panel.token(['account:write'], { account: account.id })
    const ids = new Set<string>()
    for (let change = 0; change < 40; change++) {
      const reply = await panel.patch(
        `/accounts/${account.id}`,
        { contact_email: `a${change}@alice.example` },
        { token },
      )
      expect(reply.status).toBe(202)
      ids.add(reply.body.job_id)
    }
    expect([ids.size, panel.jobs()]).toEqual([1, ['account.create running', 'account.update queued']])
    driver?.release()
    await panel.settle()
    expect(driver?.calls).toEqual(['apply alice', 'apply alice'])
    expect((await panel.get(`/accounts/${account.id}`)).body.contact_email).toBe('a39@alice.example')
    expect(panel.events()).toEqual(['account.created', 'job.completed', 'job.completed'])
    expect((await panel.get('/audit?operation=updateAccount')).body.total).toBe(40)
  })
  test('does not delay a suspension: one job precedes it, however many changes were made', async () => {
    let driver: PausedDriver | undefined
    const panel = await startPanel({ driver: (root) => (driver = new PausedDriver(root)) })
    const { account } = (await panel.post('/accounts', { username: 'alice', domain: 'alice.example' })).body
    for (let change = 0; change < 20; change++) await panel.patch(`/accounts/${account.id}`, { theme: 'dark' })
    await panel.post(`/accounts/${account.id}/suspend`, {})
    await panel.patch(`/accounts/${account.id}`, { theme: 'light' })
    await panel.post(`/accounts/${account.id}/unsuspend`)
    await panel.post(`/accounts/${account.id}/suspend`, {})
    driver?.release()
    await panel.settle()
    expect(panel.jobs()).toEqual([
      'account.create succeeded',
      'account.update succeeded',
      'account.suspend succeeded',
      'account.unsuspend succeeded',
      'account.suspend succeeded',
    ])
  })
  test('gives changes a job of their own once it has started', async () => {
    let driver: PausedDriver | undefined
    const panel = await startPanel({ driver: (root) => (driver = new PausedDriver(root)) })
    const { account } = (await panel.post('/accounts', { username: 'alice', domain: 'alice.example' })).body
    driver?.release()
    await panel.settle()
    panel.forget()
    driver?.hold()
    const first = await panel.patch(`/accounts/${account.id}`, { theme: 'dark' })
    await soon(async () => expect((await job(panel, first.body.job_id)).status).toBe('running'))
    const second = await panel.patch(`/accounts/${account.id}`, { theme: 'light' })
    expect(second.body.job_id).not.toBe(first.body.job_id)
    driver?.release()
    await panel.settle()
    expect(panel.jobs()).toEqual(['account.update succeeded', 'account.update succeeded'])
  })
  test('makes a job in backoff due at a change, and keeps its actor', async () => {
    let driver!: FailingDriver
    const panel = await startPanel({ driver: (root) => (driver = new FailingDriver(root, 0)) })
    const alice = await panel.account('alice')
    driver.failures = 1
    const token = await panel.token(['account:write'], { account: alice.id })
    const { job_id } = (await panel.patch(`/accounts/${alice.id}`, { theme: 'dark' })).body
    await panel.settle()
    expect(await job(panel, job_id)).toMatchObject({ status: 'queued', attempts: 1 })
    const again = await panel.patch(`/accounts/${alice.id}`, { theme: 'light' }, { token })
    expect(again.body.job_id).toBe(job_id)
    await panel.settle()
    expect(await job(panel, job_id)).toMatchObject({ status: 'succeeded', attempts: 2 })
    const [event] = (await panel.get('/events?type=job.completed')).body.items.slice(-1)
    expect(event.data).toMatchObject({ job_id, actor: { type: 'root' } })
    expect(panel.jobs()).toEqual(['account.update succeeded'])
  })
  test('gives a job in backoff the attempts of a new job', async () => {
    let driver!: FailingDriver
    const panel = await startPanel({ driver: (root) => (driver = new FailingDriver(root, 0)) })
    const alice = await panel.account('alice')
    driver.failures = 5
    const themes = ['dark', 'light', 'dark']
    const requests = new Set<string>()
    for (const theme of themes) {
      requests.add((await panel.patch(`/accounts/${alice.id}`, { theme })).body.job_id)
      await panel.settle()
    }
    const [job_id] = [...requests] as [string]
    expect(requests.size).toBe(1)
    expect(await job(panel, job_id)).toMatchObject({ status: 'queued', attempts: 3, max_attempts: 5 })
    await panel.clock.advance(1_000)
    await panel.settle()
    expect(await job(panel, job_id)).toMatchObject({ status: 'queued', attempts: 4 })
    await panel.clock.advance(4_000)
    await panel.settle()
    expect(await job(panel, job_id)).toMatchObject({ status: 'failed', attempts: 5 })
    await panel.post(`/jobs/${job_id}/retry`)
    await panel.settle()
    expect(await job(panel, job_id)).toMatchObject({ status: 'succeeded', attempts: 1, max_attempts: 3 })
    expect(panel.jobs()).toEqual(['account.update succeeded'])
  })
  test("gives the job the account's current name", async () => {
    let driver: PausedDriver | undefined
    const panel = await startPanel({ driver: (root) => (driver = new PausedDriver(root)) })
    const { account } = (await panel.post('/accounts', { username: 'alice', domain: 'alice.example' })).body
    const first = await panel.patch(`/accounts/${account.id}`, { theme: 'dark' })
    const second = await panel.patch(`/accounts/${account.id}`, { username: 'bob', domain: 'bob.example' })
    expect(second.body.job_id).toBe(first.body.job_id)
    driver?.release()
    await panel.settle()
    expect((await job(panel, first.body.job_id)).username).toBe('bob')
    const [event] = (await panel.get('/events?type=job.completed')).body.items.slice(-1)
    expect(event.data.account).toEqual({ id: account.id, username: 'bob', domain: 'bob.example' })
    expect(panel.jobs()).toEqual(['account.create succeeded', 'account.update succeeded'])
  })
})

describe('jobs of an area', () => {
  const root: Actor = { type: 'root', id: '01K9ZQ5T3M8V4X7C2B6N1D0FGH', name: 'root', via: 'cli' }
  const account = { id: '01K9ZQ5T3M8V4X7C2B6N1D0FGA', username: 'alice', domain: 'alice.example', owner_id: root.id }

  /** What ran after these jobs were queued in one change: kind, object and host areas. */
  async function ran(...expected: NewJob[]) {
    const panel = await startPanel()
    const done: unknown[] = []
    const run: JobKind['run'] = async ({ row }) => {
      done.push([row.kind, row.object_id, areasOf(row.payload)])
      return undefined
    }
    for (const { kind } of expected) (panel.panel.runtime.kinds as Map<string, JobKind>).set(kind, { kind, run })
    await panel.store.change(() => expected.map((one) => enqueue(panel.panel.runtime, one, root, 'a test')))
    await panel.settle()
    return done
  }

  test('applies the union of host areas of changes that are queued for one object', async () => {
    const one = { kind: 'test.zone.update', account, object_id: 'Z1' }
    const some = [
      { ...one, areas: ['dns', 'web'] },
      { ...one, areas: ['mail', 'dns'] },
    ]
    expect(await ran(...some)).toEqual([['test.zone.update', 'Z1', ['dns', 'mail', 'web']]])
    expect(await ran(...some, one)).toEqual([['test.zone.update', 'Z1', undefined]])
  })
  test('separates jobs of other objects, other accounts and other kinds', async () => {
    const one = { kind: 'test.apply', account, object_id: 'A' }
    const other = { ...account, id: '01K9ZQ5T3M8V4X7C2B6N1D0FGB' }
    const done = await ran(
      one,
      { ...one, object_id: 'B' },
      { ...one, account: other },
      { ...one, kind: 'test.password' },
    )
    expect(done).toHaveLength(4)
  })
  test('runs jobs other than update, apply and password as often as requested', async () => {
    for (const kind of ['test.updated', 'test.run', 'update.run'])
      expect(await ran({ kind, account }, { kind, account })).toHaveLength(2)
    for (const kind of ['test.update', 'test.deep.apply', 'test.password'])
      expect(await ran({ kind, account }, { kind, account })).toHaveLength(1)
  })
})
