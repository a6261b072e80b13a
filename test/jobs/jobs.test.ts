import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { HostError } from '../../src/host/contract/driver.ts'
import type { JobKind, RunningJob } from '../../src/runtime/jobs/job-kind.ts'
import { JobError } from '../../src/runtime/jobs/job-kind.ts'
import { turns } from '../clock.ts'
import { FailingDriver, PausedDriver } from '../drivers.ts'
import { type Json, startPanel, TestPanel } from '../harness.ts'
import { soon } from '../wait-for.ts'
import { resellerToken } from '../world.ts'
import { job, learn, queue } from './fixtures.ts'

/** A kind that runs until it is cancelled. */
function endless() {
  const jobs: RunningJob[] = []
  const kind: JobKind = {
    kind: 'test.endless',
    cancellable: true,
    run: (job) => {
      jobs.push(job)
      return new Promise((_, reject) => job.signal.addEventListener('abort', () => reject(new Error('told to stop'))))
    },
  }
  return { kind, jobs }
}

describe('log of a job', () => {
  test('continues from the last line: nothing is missed or repeated', async () => {
    const panel = await startPanel()
    let go = (): void => {}
    let running: RunningJob | undefined
    learn(panel, {
      kind: 'test.talk',
      run: async (job) => {
        running = job
        for (let line = 0; line < 50; line++) job.log(`line ${line}`)
        await new Promise<void>((resolve) => {
          go = resolve
        })
        for (let line = 50; line < 100; line++) job.log(`line ${line}`, 'warn')
        return undefined
      },
    })
    const id = await queue(panel, 'test.talk')
    await turns(10)
    await panel.clock.advance(200)
    const seen: Json[] = []
    const read = async () => {
      const after = seen.at(-1)?.at
      const { body } = await panel.get(`/jobs/${id}${after === undefined ? '' : `?log_after=${after}`}`)
      seen.push(...body.log)
      return body.log.length
    }
    expect(await read()).toBe(50)
    expect(await read()).toBe(0)
    running?.progress(40)
    await panel.clock.advance(200)
    expect((await job(panel, id)).progress_pct).toBe(40)
    go()
    await panel.settle()
    expect(await read()).toBe(50)
    expect(seen.map(({ message }) => message)).toEqual(Array.from({ length: 100 }, (_, line) => `line ${line}`))
    for (const [place, line] of seen.entries()) expect(line.at).toBeGreaterThan(seen[place - 1]?.at ?? 0)
    expect(await job(panel, id)).toMatchObject({ status: 'succeeded', progress_pct: 100, attempts: 1 })
  })
  test('ends at a length, over all attempts, and says so', async () => {
    const panel = await startPanel()
    let attempts = 0
    learn(panel, {
      kind: 'test.shout',
      run: async (job) => {
        attempts++
        for (let line = 0; line < 1_000; line++) job.log('x'.repeat(20_000))
        if (attempts === 1) throw new Error('again')
        return undefined
      },
    })
    const id = await queue(panel, 'test.shout')
    await panel.settle()
    await panel.clock.advance(60_000)
    await panel.settle()
    expect([attempts, (await job(panel, id)).status]).toEqual([2, 'succeeded'])
    const stored = panel.store.sqlite.prepare('SELECT message FROM job_logs WHERE job_id = ? ORDER BY at').pluck()
    const lines = stored.all(id) as string[]
    expect(lines.map(({ length }) => length)).toEqual([...Array(525).fill(2_000), lines.at(-1)!.length])
    expect(lines.at(-1)).toBe('The log has become too long: the lines that follow are left out.')
  })
  test('numbers lines in order if the clock goes back between attempts', async () => {
    const panel = await startPanel()
    let attempts = 0
    learn(panel, {
      kind: 'test.twice',
      run: async (job) => {
        job.log(`attempt ${++attempts}`)
        if (attempts === 1) throw new JobError('Not yet.')
        return undefined
      },
    })
    const id = await queue(panel, 'test.twice')
    await panel.settle()
    await panel.clock.advance(2000)
    await panel.settle()
    const { log } = (await panel.get(`/jobs/${id}`)).body
    expect(log.map((line: Json) => `${line.level} ${line.message}`)).toEqual([
      'info attempt 1',
      'error Not yet.',
      'info attempt 2',
    ])
    const times = log.map((line: Json) => line.at)
    expect(times).toEqual([...new Set(times)].sort())
  })
})

describe('job that fails', () => {
  test('retries a job after 1, 4 and 16 seconds, then fails it for good with one sentence', async () => {
    const panel = await startPanel()
    const at: number[] = []
    const start = panel.clock.now()
    learn(panel, {
      kind: 'test.fail',
      maxAttempts: 4,
      run: async () => {
        at.push(panel.clock.now() - start)
        throw new JobError('The moon is in the way.')
      },
    })
    const id = await queue(panel, 'test.fail')
    await panel.settle()
    expect(await job(panel, id)).toMatchObject({ status: 'queued', attempts: 1, error: 'The moon is in the way.' })
    for (let second = 0; second < 25; second++) {
      await panel.clock.advance(1000)
      await panel.settle()
    }
    expect(at).toEqual([0, 1000, 5000, 21_000])
    expect(await job(panel, id)).toMatchObject({ status: 'failed', attempts: 4, error: 'The moon is in the way.' })
    expect([panel.events(), panel.jobs()]).toEqual([['job.failed'], ['test.fail failed']])
  })
  test('does not retry a job with a final error', async () => {
    const panel = await startPanel()
    learn(panel, { kind: 'test.final', run: () => Promise.reject(new JobError('Never.', true)) })
    const id = await queue(panel, 'test.final')
    await panel.settle()
    expect(await job(panel, id)).toMatchObject({ status: 'failed', attempts: 1, error: 'Never.' })
  })
  test('writes nothing of its last step when that step fails', async () => {
    const panel = await startPanel()
    learn(panel, {
      kind: 'test.settle',
      maxAttempts: 1,
      run: async () => (ctx) => {
        ctx.store.sqlite.exec("UPDATE packages SET name = 'half'")
        throw new JobError('The last step failed.')
      },
    })
    await queue(panel, 'test.settle')
    await panel.settle()
    expect((await panel.get('/packages')).body.items[0].name).toBe('default')
    expect([panel.events(), panel.jobs()]).toEqual([['job.failed'], ['test.settle failed']])
  })
})

describe('jobs of one account', () => {
  test('runs jobs of an account one at a time and in order, while those of others continue', async () => {
    let driver: PausedDriver | undefined
    const panel = await startPanel({ driver: (root) => (driver = new PausedDriver(root)) })
    const { account } = (await panel.post('/accounts', { username: 'alice', domain: 'alice.example' })).body
    await panel.post(`/accounts/${account.id}/suspend`, {})
    await panel.post(`/accounts/${account.id}/unsuspend`)
    await panel.post('/accounts', { username: 'bob', domain: 'bob.example' })
    await soon(() => expect(driver?.calls).toEqual(['apply alice', 'apply bob']))
    const statuses = async () =>
      (await panel.get('/jobs')).body.items.map((item: Json) => `${item.kind} ${item.status}`)
    expect(await statuses()).toEqual([
      'account.create running',
      'account.suspend queued',
      'account.unsuspend queued',
      'account.create running',
    ])
    driver?.release()
    await panel.settle()
    expect(driver?.calls).toEqual(['apply alice', 'apply bob', 'apply alice', 'apply alice'])
  })
  test('waits for a job of the account that will be retried', async () => {
    const panel = await startPanel({ driver: (root) => new FailingDriver(root, 1) })
    const { account } = (await panel.post('/accounts', { username: 'alice', domain: 'alice.example' })).body
    await panel.post(`/accounts/${account.id}/suspend`, {})
    await panel.settle()
    expect(panel.jobs()).toEqual(['account.create queued', 'account.suspend queued'])
    await panel.clock.advance(1000)
    await panel.settle()
    expect(panel.events()).toEqual(['account.created', 'account.suspended', 'job.completed', 'job.completed'])
  })
})

describe('cancellation of a job', () => {
  test('refuses to cancel a kind that must converge, or a job that has ended', async () => {
    const panel = await startPanel({ driver: (root) => new PausedDriver(root) })
    const { job_id } = (await panel.post('/accounts', { username: 'alice', domain: 'alice.example' })).body
    expect((await panel.post(`/jobs/${job_id}/cancel`)).code).toBe('not-cancellable')
    learn(panel, { kind: 'test.quick', cancellable: true, run: async () => undefined })
    const id = await queue(panel, 'test.quick')
    await soon(async () => expect((await job(panel, id)).status).toBe('succeeded'))
    expect((await panel.post(`/jobs/${id}/cancel`)).code).toBe('not-cancellable')
  })
  test('ends a queued job at once, which never runs', async () => {
    const panel = await startPanel()
    const { kind, jobs } = endless()
    learn(panel, kind)
    const postpone = 'UPDATE jobs SET run_at = run_at + 3600000'
    const [id] = await Promise.all([
      queue(panel, kind.kind),
      panel.store.change(() => void panel.store.sqlite.exec(postpone)),
    ])
    expect((await panel.post(`/jobs/${id}/cancel`)).body.job).toMatchObject({ status: 'cancelled', attempts: 0 })
    await panel.clock.advance(7_200_000)
    expect([jobs.length, panel.events(), panel.jobs()]).toEqual([0, [], ['test.endless cancelled']])
  })
  test('stops a running job, and emits neither completed nor failed', async () => {
    const panel = await startPanel()
    const { kind, jobs } = endless()
    learn(panel, kind)
    const id = await queue(panel, kind.kind)
    await soon(() => expect(jobs).toHaveLength(1))
    expect((await panel.post(`/jobs/${id}/cancel`)).body.job.status).toBe('running')
    await panel.settle()
    expect(await job(panel, id)).toMatchObject({ status: 'cancelled', attempts: 1 })
    expect(panel.events()).toEqual([])
  })
  test('stops a job cancelled between claim and start too', async () => {
    const panel = await startPanel()
    const { kind, jobs } = endless()
    learn(panel, kind)
    const id = await queue(panel, kind.kind)
    await panel.store.change(() => void panel.store.sqlite.exec('UPDATE jobs SET cancel_requested = 1'))
    await panel.settle()
    expect([(await job(panel, id)).status, jobs.length]).toEqual(['cancelled', 0])
  })
})

describe('jobs that a caller sees', () => {
  test('limits a caller to the jobs of its own accounts', async () => {
    const panel = await startPanel()
    const rita = await panel.account('rita', { make_reseller: true })
    const token = await resellerToken(panel, rita.id, [])
    const bob = await panel.account('bob', { owner_id: rita.id })
    const all = (await panel.get('/jobs')).body.items
    const seen = (await panel.get('/jobs', { token })).body.items
    expect(all.length).toBe(2)
    expect(seen.map((item: Json) => item.account_id)).toEqual([bob.id])
    expect((await panel.get(`/jobs/${all[0].id}`, { token })).code).toBe('not-found')
    expect((await panel.get(`/jobs/${seen[0].id}`, { token })).status).toBe(200)
  })
  test('narrows jobs by status, kind and account', async () => {
    const panel = await startPanel()
    const alice = await panel.account('alice')
    await panel.account('bob')
    await panel.post(`/accounts/${alice.id}/suspend`, {})
    await panel.settle()
    const total = async (query: string) => (await panel.get(`/jobs?${query}`)).body.total
    expect(await total('status=succeeded')).toBe(3)
    expect(await total('status=failed')).toBe(0)
    expect(await total('kind=account.suspend')).toBe(1)
    expect(await total(`account_id=${alice.id}&kind=account.create`)).toBe(1)
    expect((await panel.get('/jobs?status=done')).body.fields).toEqual({ status: expect.any(String) })
  })
})

describe('orphaned job', () => {
  test('runs a job again when its lease expires if its end could not be written', async () => {
    const panel = await startPanel()
    const { sqlite } = panel.store
    const real = Database.prototype.exec.bind(sqlite)
    const exec = vi.spyOn(sqlite, 'exec')
    let runs = 0
    learn(panel, {
      kind: 'test.unwritten',
      run: async () => {
        if (++runs === 1)
          exec.mockImplementation((text) => {
            if (text.startsWith('COMMIT')) throw new Error('the disk is full')
            return real(text)
          })
        return undefined
      },
    })
    const id = await queue(panel, 'test.unwritten')
    await panel.settle()
    exec.mockRestore()
    expect(await job(panel, id)).toMatchObject({ status: 'running', attempts: 1 })
    await panel.clock.advance(29_000)
    expect(await job(panel, id)).toMatchObject({ status: 'running', attempts: 1 })
    await panel.clock.advance(6_000)
    await panel.settle()
    expect(await job(panel, id)).toMatchObject({ status: 'succeeded', attempts: 1 })
    expect([runs, panel.events()]).toEqual([2, ['job.completed']])
  })
  test('runs a job of a killed server again at once in the next one', async () => {
    const { kind, jobs } = endless()
    const panel = await startPanel()
    learn(panel, kind)
    const id = await queue(panel, kind.kind)
    await soon(() => expect(jobs).toHaveLength(1))
    const next = new TestPanel({})
    onTestFinished(() => next.stop())
    writeFileSync(join(next.dir, 'panel.db'), panel.store.sqlite.serialize())
    await next.start()
    await next.settle()
    expect(await job(next, id)).toMatchObject({
      status: 'failed',
      attempts: 1,
      error: expect.stringContaining('does not know the job kind'),
    })
    const { log } = (await next.get(`/jobs/${id}`)).body
    expect(log.map((line: Json) => line.level)).toEqual(['warn', 'error'])
  })
  test('fails a job once it has crashed the server every time, not before', async () => {
    const { kind, jobs } = endless()
    const panel = await startPanel()
    learn(panel, kind)
    const id = await queue(panel, kind.kind)
    await soon(() => expect(jobs).toHaveLength(1))
    const after = async (claims: number, attempts = 1) => {
      const set = `fence = ${claims}, attempts = ${attempts}, max_attempts = ${attempts + 3}`
      await panel.store.change(() => void panel.store.sqlite.exec(`UPDATE jobs SET ${set}`))
      const next = new TestPanel({})
      onTestFinished(() => next.stop())
      writeFileSync(join(next.dir, 'panel.db'), panel.store.sqlite.serialize())
      await next.start()
      return [(await job(next, id)).status, next.events()]
    }
    expect(await after(50)).toEqual(['failed', ['job.failed']])
    expect((await after(49))[0]).not.toBe('failed')
    // One that failed often, and was retried each time.
    expect((await after(98, 50))[0]).not.toBe('failed')
    expect((await after(99, 50))[0]).toBe('failed')
  })
  test('leaves a job that still runs here alone, however late its heartbeat', async () => {
    const panel = await startPanel()
    const { kind, jobs } = endless()
    learn(panel, kind)
    const id = await queue(panel, kind.kind)
    await soon(() => expect(jobs).toHaveLength(1))
    panel.clock.jump(120_000)
    panel.panel.worker.wake()
    await turns(10)
    expect([(await job(panel, id)).attempts, jobs.length, jobs[0]?.signal.aborted]).toEqual([1, 1, false])
    await panel.clock.advance(60_000)
    expect([(await job(panel, id)).attempts, jobs[0]?.signal.aborted]).toEqual([1, false])
  })
})

test('a stop requeues a running job without costing an attempt', async () => {
  const { kind, jobs } = endless()
  const panel = await new TestPanel({}).start()
  learn(panel, kind)
  const id = await queue(panel, kind.kind)
  await soon(() => expect(jobs).toHaveLength(1))
  await panel.panel.stop()
  const row = panel.store.sqlite.prepare('SELECT status, attempts, lease_owner FROM jobs WHERE id = ?').get(id)
  expect(row).toEqual({ status: 'queued', attempts: 0, lease_owner: null })
  await panel.stop()
})

test('jobs wait while the license has expired, and the server stays healthy', async () => {
  const panel = await startPanel()
  const { id } = await panel.account('alice')
  await panel.post(`/accounts/${id}/suspend`, {})
  await panel.put('/license', { valid_until: panel.clock.now() })
  const healthy = async () => (await panel.get('https://host.example:7711/healthz')).status
  await panel.store.change(() => void panel.store.sqlite.exec("UPDATE jobs SET status = 'queued', attempts = 0"))
  await panel.clock.advance(120_000)
  expect(await healthy()).toBe(200)
  expect((await panel.get('/jobs?status=queued')).body.total).toBe(2)
  await panel.put('/license', { valid_until: null })
  await panel.clock.advance(10_000)
  await panel.settle()
  expect((await panel.get('/jobs?status=queued')).body.total).toBe(0)
})

test.each([
  'fatal: Remote branch master not found in upstream origin',
  'npm error code ERESOLVE',
  'Fatal: wrong password or no key found',
  "ERROR 2002 (HY000): Can't connect to local server",
  'tar: Error is not recoverable: exiting now',
  "Can't open server.key for reading, No such file or directory",
])('no test passes whose job ends with the bare line of a program: %s', async (line) => {
  const failing = (root: string) => new FailingDriver(root, 9, () => new HostError('install', line))
  const panel = await new TestPanel({ driver: failing }).start()
  await panel.post('/accounts', { username: 'alice', domain: 'alice.example' })
  await panel.settle()
  await expect(panel.stop()).rejects.toThrow('to deeply equal')
})
