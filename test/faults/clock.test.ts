import { describe, expect, test } from 'vitest'
import { FailingDriver, PausedDriver } from '../drivers.ts'
import { type Reply, startPanel, TestPanel } from '../harness.ts'
import { signIn } from '../world.ts'

const first = ({ status, code }: Reply): string => `${status} ${code ?? ''}`.trim()
const hour = 3_600_000
const day = 24 * hour

function failing(failures: number) {
  let driver: FailingDriver | undefined
  return startPanel({
    driver: (root) => {
      driver ??= new FailingDriver(root, failures)
      return driver
    },
  })
}

describe('clock that goes back by an hour, a day or a year', () => {
  test.each([hour, day, 365 * day])(
    'delays a job that waits for its next attempt no longer than planned (%i ms)',
    async (by) => {
      const panel = await failing(2)
      const { job_id } = (await panel.post('/accounts', { username: 'alice', domain: 'alice.example' })).body
      await panel.settle()
      const status = async () => (await panel.get(`/jobs/${job_id}`)).body.job.status
      expect(await status()).toBe('queued')
      panel.clock.jump(-by)
      await panel.clock.advance(20_000)
      await panel.settle()
      expect(await status()).toBe('succeeded')
    },
  )
  test('keeps the lease of a running job, and runs a new one at once', async () => {
    let driver: PausedDriver | undefined
    const panel = await startPanel({
      driver: (root) => {
        driver = new PausedDriver(root)
        return driver
      },
    })
    await panel.post('/accounts', { username: 'alice', domain: 'alice.example' })
    panel.clock.jump(-day)
    await panel.post('/accounts', { username: 'bob', domain: 'bob.example' })
    await panel.clock.advance(60_000)
    driver!.release()
    await panel.settle()
    const jobs = (await panel.get('/jobs')).body.items
    expect(jobs.map(({ status, attempts }: { status: string; attempts: number }) => [status, attempts])).toEqual([
      ['succeeded', 1],
      ['succeeded', 1],
    ])
    expect(driver!.calls).toEqual(['apply alice', 'apply bob'])
  })
  test('does not delay a waiting job when the clock goes back while the server is off', async () => {
    const panel = await failing(1)
    await panel.post('/accounts', { username: 'alice', domain: 'alice.example' })
    await panel.settle()
    panel.clock.jump(-30 * day)
    await panel.restart()
    await panel.settle()
    expect((await panel.get('/jobs')).body.items[0].status).toBe('succeeded')
  })
  test('runs jobs of an account in the order of their creation when the clock goes back while the server is off', async () => {
    const panel = await startPanel()
    const alice = await panel.account('alice')
    await panel.put('/license', { valid_until: panel.clock.now() + 1000 })
    await panel.post(`/accounts/${alice.id}/suspend`, {})
    panel.clock.jump(-day)
    await panel.restart()
    await panel.post(`/accounts/${alice.id}/unsuspend`)
    await panel.settle()
    const jobs = (await panel.get('/jobs')).body.items
    expect(jobs.map(({ kind, status }: { kind: string; status: string }) => `${kind} ${status}`)).toEqual([
      'account.create succeeded',
      'account.suspend succeeded',
      'account.unsuspend succeeded',
    ])
  })
  test('does not revive a deleted link: links made ahead of time are invalid', async () => {
    const panel = await startPanel()
    const alice = await panel.account('alice')
    const { url } = (await panel.post(`/accounts/${alice.id}/sso`)).body
    panel.clock.jump(-hour)
    expect(first(await panel.get(url, { from: '192.0.2.1' }))).toBe('401 unauthenticated')
  })
  test('does not prolong a session, which survives a small step', async () => {
    const panel = await startPanel()
    await panel.account('alice', { password: 'correct horse' })
    const headers = await signIn(panel, 'alice', 'correct horse')
    const ask = () => panel.get('/user/auth/session', { headers, from: '192.0.2.1' })
    panel.clock.jump(-2000)
    expect((await ask()).body.authenticated).toBe(true)
    panel.clock.jump(-2 * hour)
    expect((await ask()).body.authenticated).toBe(false)
  })
  test('ignores failed sign-ins until their time is reached again', async () => {
    const panel = await startPanel()
    await panel.account('alice', { password: 'correct horse' })
    const tryWith = (password: string) =>
      panel.post('/user/auth/login', { username: 'alice', password }, { from: '192.0.2.1' })
    for (let tried = 0; tried < 10; tried++) await tryWith('wrong horse')
    expect(first(await tryWith('correct horse'))).toBe('429 rate-limited')
    panel.clock.jump(-day)
    expect(first(await tryWith('correct horse'))).toBe('200')
  })
})

describe('clock that goes forward by a year', () => {
  test('jobs run once and continue, and what expires has expired', async () => {
    let driver: PausedDriver | undefined
    const panel = await startPanel({
      driver: (root) => {
        driver = new PausedDriver(root)
        return driver
      },
    })
    await panel.post('/accounts', { username: 'alice', domain: 'alice.example' })
    panel.clock.jump(365 * day)
    await panel.clock.advance(30_000)
    driver!.release()
    await panel.settle()
    expect(driver!.calls).toEqual(['apply alice'])
    expect((await panel.get('/jobs')).body.items[0]).toMatchObject({ status: 'succeeded', attempts: 1 })
    expect((await panel.send('GET', 'https://host.example:7711/healthz')).status).toBe(200)
  })
})

test('ids increase, whatever the clock does and however often the server starts', async () => {
  const panel = new TestPanel({})
  await panel.start()
  const ids: string[] = []
  for (const by of [0, -day, 5, -hour]) {
    panel.clock.jump(by)
    await panel.restart()
    await panel.account(`user${ids.length}`)
    ids.push((await panel.get('/jobs?per_page=500')).body.items.at(-1).id)
  }
  await panel.stop()
  expect(ids).toEqual(ids.toSorted())
  expect(new Set(ids).size).toBe(4)
})
