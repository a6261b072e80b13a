import { expect, test } from 'vitest'
import { jobs } from '../../src/runtime/tables.ts'
import { turns } from '../clock.ts'
import { PausedDriver } from '../drivers.ts'
import { type Json, startPanel } from '../harness.ts'
import { job, learn, queue } from './fixtures.ts'

const minute = 60_000

test('a job without progress fails, and its slot is free although its work never ends', async () => {
  const panel = await startPanel()
  learn(panel, { kind: 'toy.hang', run: () => new Promise(() => {}) })
  learn(panel, { kind: 'toy.next', run: async () => undefined })
  const ids = await Promise.all(Array.from({ length: 8 }, () => queue(panel, 'toy.hang')))
  const next = await queue(panel, 'toy.next')
  await panel.clock.advance(29 * minute)
  expect([(await job(panel, ids[0]!)).status, (await job(panel, next)).status]).toEqual(['running', 'queued'])
  await panel.clock.advance(2 * minute)
  await panel.settle()
  const failed = await job(panel, ids[0]!)
  expect(failed).toMatchObject({
    status: 'failed',
    attempts: 1,
    error: 'The job made no progress for 30 minutes and was stopped.',
  })
  expect((await job(panel, next)).status).toBe('succeeded')
  const { items } = (await panel.get('/events?type=job.failed')).body
  expect(items.map(({ data }: Json) => data.job_id).sort()).toEqual([...ids].sort())
})

test('progress keeps a long job alive, and what outlives its job writes nothing', async () => {
  const panel = await startPanel()
  let say = (_line: string): void => {}
  learn(panel, {
    kind: 'toy.bulk',
    silenceLimitMs: 10 * minute,
    run: (running) => {
      say = (line) => running.log(line)
      return new Promise(() => {})
    },
  })
  const id = await queue(panel, 'toy.bulk')
  for (let n = 0; n < 6; n++) {
    await panel.clock.advance(9 * minute)
    say(`part ${n}`)
  }
  expect((await job(panel, id)).status).toBe('running')
  await panel.clock.advance(11 * minute)
  await panel.settle()
  say('too late')
  await turns()
  const { status, error } = await job(panel, id)
  expect([status, error]).toEqual(['failed', 'The job made no progress for 10 minutes and was stopped.'])
  expect(JSON.stringify((await panel.get(`/jobs/${id}`)).body)).not.toContain('too late')
})

test('a job that shows progress without end fails after 48 times its silence limit', async () => {
  const panel = await startPanel()
  let say = (_line: string): void => {}
  learn(panel, {
    kind: 'toy.trickle',
    silenceLimitMs: 5 * minute,
    run: (running) => {
      say = (line) => running.log(line)
      return new Promise(() => {})
    },
  })
  const id = await queue(panel, 'toy.trickle')
  for (let n = 1; n < 60; n++) {
    await panel.clock.advance(4 * minute)
    say(`part ${n}`)
  }
  expect((await job(panel, id)).status).toBe('running')
  await panel.clock.advance(4 * minute + 15_000)
  await panel.settle()
  const { status, error, attempts } = await job(panel, id)
  expect([status, error, attempts]).toEqual(['failed', 'The job did not end within 4 hours and was stopped.', 1])
})

test('a round over all accounts names the one that hangs and does the rest', async () => {
  let driver!: PausedDriver
  const panel = await startPanel({
    driver: (root) => {
      driver = new PausedDriver(root)
      driver.release()
      const apply = driver.apply
      driver.apply = (state, options) =>
        hangs && state.accounts.some(({ username }) => username === 'bob')
          ? new Promise(() => {})
          : apply(state, options)
      return driver
    },
  })
  let hangs = false
  for (const name of ['ann', 'bob', 'cid']) await panel.account(name)
  hangs = true
  driver.calls.length = 0
  const { job_id } = (await panel.post('/host/apply', {})).body
  await panel.clock.advance(5 * minute + 500)
  expect(driver.calls).toEqual(['apply ann', 'apply cid'])
  hangs = false
  await panel.settle()
  const body = JSON.stringify((await panel.get(`/jobs/${job_id}`)).body)
  expect(body).toContain('bob: The host did not apply it within 5 minutes.')
  expect(body).toContain('1 of 3 accounts could not be updated on the host; the log names them.')
})

test('a lane takes a thousand unfinished jobs of its customer, and urgent ones and those of others beyond', async () => {
  const panel = await startPanel()
  const alice = await panel.account('alice')
  const token = (await panel.post(`/accounts/${alice.id}/tokens`, { name: 't', scopes: ['full-access'] })).body.secret
  const row = {
    kind: 'files.copy',
    status: 'queued' as const,
    max_attempts: 1,
    node: 'local',
    account_id: alice.id as string,
    actor_type: 'account' as const,
    actor_id: alice.id as string,
    via: 'api' as const,
    request_id: 'x',
    owner_id: alice.owner_id as string,
    run_at: panel.clock.now() + 60 * minute,
    created_at: panel.clock.now(),
    payload: {},
  }
  const fill = (lane: string, count: number) =>
    panel.store.change(() => {
      for (let n = 0; n < count; n++)
        panel.store.db
          .insert(jobs)
          .values({ ...row, id: panel.panel.runtime.id(), lane })
          .run()
    })
  await fill(`files:${alice.id}`, 999)
  const empty = (options = {}) => panel.delete(`/accounts/${alice.id}/trash`, options)
  expect((await empty({ token })).status).toBe(202)
  const refused = await empty({ token })
  expect([refused.status, refused.code]).toEqual([503, 'overloaded'])
  expect(refused.body.detail).toBe('alice has 1000 unfinished jobs: wait until some have ended.')
  expect((await empty()).status).toBe(202)
  const cron = () => panel.post(`/accounts/${alice.id}/cron/jobs`, { schedule: '0 4 * * *', command: 'ls' }, { token })
  expect((await cron()).status).toBe(202)
  await fill(alice.id, 1_000)
  expect((await panel.post(`/accounts/${alice.id}/suspend`, { reason: 'unpaid' })).status).toBe(202)
})
