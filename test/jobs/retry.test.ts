import { describe, expect, test } from 'vitest'
import { FailingDriver, PausedDriver } from '../drivers.ts'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { soon } from '../wait-for.ts'
import { resellerToken, signIn } from '../world.ts'

/** A panel whose alice has a job that failed for good. */
async function failed() {
  let driver!: FailingDriver
  const panel = await startPanel({ driver: (root) => (driver = new FailingDriver(root, 0)) })
  const alice = await panel.account('alice', { password: 'correct horse battery' })
  driver.failures = 3
  const { job_id } = (await panel.patch(`/accounts/${alice.id}`, { theme: 'dark' })).body
  await panel.settle()
  await panel.clock.advance(60_000)
  await panel.settle()
  expect(panel.jobs()).toEqual(['account.update failed'])
  expect(panel.events()).toEqual(['job.failed'])
  return { panel, alice, job_id, driver }
}

const job = async (panel: TestPanel, id: string): Promise<Json> => (await panel.get(`/jobs/${id}`)).body.job

describe('failed job', () => {
  test("requeues a failed job with a new job's attempts and its log, and lets it fail again", async () => {
    const { panel, job_id, driver } = await failed()
    driver.failures = 1
    const reply = await panel.post(`/jobs/${job_id}/retry`)
    expect(reply.status).toBe(202)
    expect(reply.body.job).toMatchObject({ id: job_id, status: 'queued', attempts: 0, progress_pct: 0 })
    for (const gone of ['error', 'started_at', 'finished_at']) expect(reply.body.job).not.toHaveProperty(gone)
    expect(reply.body.log.length).toBeGreaterThan(2)
    await panel.settle()
    expect(await job(panel, job_id)).toMatchObject({ status: 'queued', attempts: 1 })
    await panel.clock.advance(1000)
    await panel.settle()
    expect(await job(panel, job_id)).toMatchObject({ status: 'succeeded', attempts: 2 })
    expect([panel.events(), panel.jobs()]).toEqual([['job.completed'], []])
    const [entry] = (await panel.get('/audit?operation=retryJob')).body.items
    expect(entry).toMatchObject({ object_id: job_id, account_id: expect.any(String) })
  })
  test('gives a retried job the current name of its account', async () => {
    const { panel, alice, job_id, driver } = await failed()
    driver.failures = 0
    await panel.patch(`/accounts/${alice.id}`, { username: 'bob' })
    await panel.settle()
    panel.forget()
    expect((await panel.post(`/jobs/${job_id}/retry`)).body.job).toMatchObject({ id: job_id, username: 'bob' })
    await panel.settle()
    const [event] = (await panel.get('/events?type=job.completed')).body.items.slice(-1)
    expect(event.data).toMatchObject({ job_id, account: { id: alice.id, username: 'bob' } })
    expect([panel.events(), panel.jobs()]).toEqual([['job.completed'], []])
  })
  test('lets a customer retry a job below the account, and makes it the actor', async () => {
    const { panel, alice, job_id } = await failed()
    const headers = await signIn(panel, 'alice', 'correct horse battery')
    const reply = await panel.post(`/accounts/${alice.id}/jobs/${job_id}/retry`, undefined, {
      headers,
      from: '192.0.2.1',
    })
    expect([reply.status, reply.body.job?.id]).toEqual([202, job_id])
    await panel.settle()
    const [event] = (await panel.get('/events?type=job.completed')).body.items.slice(-1)
    expect(event.data).toMatchObject({ job_id, actor: { type: 'account', id: alice.id }, via: 'panel' })
  })
  test('never runs a retried job concurrently with a later job of its account', async () => {
    let driver!: PausedDriver
    const panel = await startPanel({ driver: (root) => (driver = new PausedDriver(root)) })
    driver.release()
    const alice = await panel.account('alice')
    const { job_id } = (await panel.patch(`/accounts/${alice.id}`, { theme: 'dark' })).body
    await panel.settle()
    const write = `UPDATE jobs SET status = 'failed' WHERE id = '${job_id}'`
    await panel.store.change(() => void panel.store.sqlite.exec(write))
    driver.calls.length = 0
    driver.hold()
    await panel.post(`/accounts/${alice.id}/suspend`, {})
    await soon(() => expect(driver.calls).toEqual(['apply alice']))
    expect((await panel.post(`/jobs/${job_id}/retry`)).status).toBe(202)
    await panel.clock.advance(6000)
    expect([driver.calls, (await job(panel, job_id)).status]).toEqual([['apply alice'], 'queued'])
    driver.release()
    await panel.settle()
    expect((await job(panel, job_id)).status).toBe('succeeded')
  })
  test('absorbs a retried job into a queued job of its kind', async () => {
    const { panel, alice, job_id, driver } = await failed()
    driver.failures = 1
    const waiting = (await panel.patch(`/accounts/${alice.id}`, { theme: 'light' })).body.job_id
    await panel.settle()
    const reply = await panel.post(`/jobs/${job_id}/retry`)
    expect([reply.status, reply.body.job.id]).toEqual([202, waiting])
    await panel.settle()
    expect([(await job(panel, job_id)).status, (await job(panel, waiting)).status]).toEqual(['failed', 'succeeded'])
  })
})

describe('not-retryable', () => {
  test('refuses to retry a job that has not failed', async () => {
    const { panel, job_id } = await failed()
    await panel.post(`/jobs/${job_id}/retry`)
    await panel.settle()
    panel.forget()
    expect((await panel.post(`/jobs/${job_id}/retry`)).code).toBe('not-retryable')
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
  })
  test('refuses to retry a kind that does not coalesce', async () => {
    const { panel, alice, driver } = await failed()
    driver.failures = 3
    const { job_id } = (await panel.post(`/accounts/${alice.id}/suspend`, {})).body
    await panel.settle()
    await panel.clock.advance(60_000)
    await panel.settle()
    expect((await panel.post(`/jobs/${job_id}/retry`)).code).toBe('not-retryable')
    expect((await panel.post(`/accounts/${alice.id}/jobs/${job_id}/retry`)).code).toBe('not-retryable')
  })
  test('refuses to retry a job whose account is gone, and is busy while the account terminates', async () => {
    const { panel, alice, job_id } = await failed()
    await panel.store.change(() => void panel.store.sqlite.exec('UPDATE accounts SET terminating = 1'))
    expect((await panel.post(`/jobs/${job_id}/retry`)).code).toBe('busy')
    await panel.delete(`/accounts/${alice.id}?confirm=alice`)
    await panel.settle()
    expect((await panel.post(`/jobs/${job_id}/retry`)).code).toBe('not-retryable')
  })
  test('refuses to retry a package.apply whose package is gone', async () => {
    const panel = await startPanel()
    const plan = (await panel.post('/packages', { name: 'small' })).body
    await panel.patch(`/packages/${plan.id}`, { max_sql: 3 })
    await panel.settle()
    await panel.store.change(() => void panel.store.sqlite.exec("UPDATE jobs SET status = 'failed'"))
    const [{ id }] = (await panel.get('/jobs?kind=package.apply')).body.items
    expect((await panel.post(`/jobs/${id}/retry`)).status).toBe(202)
    await panel.settle()
    await panel.store.change(() => void panel.store.sqlite.exec("UPDATE jobs SET status = 'failed'"))
    await panel.delete(`/packages/${plan.id}`)
    expect((await panel.post(`/jobs/${id}/retry`)).code).toBe('not-retryable')
  })
})

test("another reseller's job is not found, for retry and cancel too", async () => {
  const { panel, job_id } = await failed()
  const rita = await panel.account('rita', { make_reseller: true })
  const token = await resellerToken(panel, rita.id, ['all'])
  expect((await panel.post(`/jobs/${job_id}/retry`, undefined, { token })).code).toBe('not-found')
  expect((await panel.post(`/jobs/${job_id}/cancel`, undefined, { token })).code).toBe('not-found')
})
