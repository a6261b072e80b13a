import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FailingDriver, PausedDriver } from '../drivers.ts'
import { type Reply, startPanel } from '../harness.ts'

const problem = ({ status, code, body }: Reply) => [status, code, ...Object.keys(body.fields ?? {})]

describe('termination of an account', () => {
  test('needs the username to confirm', async () => {
    const panel = await startPanel()
    const { id } = await panel.account('alice')
    for (const query of ['', '?confirm=', '?confirm=Alice', '?confirm=alice%20', '?confirm=alice&confirm=alice'])
      expect(problem(await panel.delete(`/accounts/${id}${query}`)), query).toEqual([400, 'validation', 'confirm'])
    expect(problem(await panel.delete(`/accounts/${id}?confirm=alice&force=1`))).toEqual([400, 'validation', 'force'])
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
  })
  test('terminates a suspended account', async () => {
    const panel = await startPanel()
    const { id } = await panel.account('alice')
    await panel.post(`/accounts/${id}/suspend`, { lock: true })
    await panel.settle()
    panel.forget()
    expect((await panel.delete(`/accounts/${id}?confirm=alice`)).body.account.status).toBe('terminating')
    await panel.settle()
    expect(panel.events()).toEqual(['account.terminated', 'job.completed'])
    expect((await panel.get('/accounts')).body.total).toBe(0)
  })
  test('waits for provisioning before it terminates an account, and leaves nothing on the host', async () => {
    let driver: PausedDriver | undefined
    const panel = await startPanel({ driver: (root) => (driver = new PausedDriver(root)) })
    const { account } = (await panel.post('/accounts', { username: 'alice', domain: 'alice.example' })).body
    const ended = await panel.delete(`/accounts/${account.id}?confirm=alice`)
    const again = await panel.delete(`/accounts/${account.id}?confirm=alice`)
    expect([ended.status, again.status, again.body.job_id]).toEqual([202, 202, ended.body.job_id])
    expect(panel.jobs().map((job) => job.split(' ')[0])).toEqual(['account.create', 'account.terminate'])
    driver?.release()
    await panel.settle()
    expect(driver?.calls).toEqual(['apply alice', 'remove alice'])
    expect(panel.events()).toEqual(['account.created', 'account.terminated', 'job.completed', 'job.completed'])
    expect(existsSync(join(panel.dir, 'host/home/alice'))).toBe(false)
    expect((await panel.get(`/accounts/${account.id}`)).code).toBe('not-found')
  })
  test('reserves the names until it is done, then frees them', async () => {
    let driver: PausedDriver | undefined
    const panel = await startPanel({ driver: (root) => (driver = new PausedDriver(root)) })
    driver?.release()
    const { id } = await panel.account('alice')
    const create = () => panel.post('/accounts', { username: 'alice', domain: 'alice.example' })
    await panel.delete(`/accounts/${id}?confirm=alice`)
    expect(problem(await create())).toEqual([400, 'validation', 'username', 'domain'])
    await panel.settle()
    expect((await create()).status).toBe(202)
  })
  test('refuses all further changes of the account', async () => {
    const panel = await startPanel({ driver: (root) => new PausedDriver(root) })
    const { account } = (await panel.post('/accounts', { username: 'alice', domain: 'alice.example' })).body
    await panel.delete(`/accounts/${account.id}?confirm=alice`)
    panel.forget()
    const path = `/accounts/${account.id}`
    expect(problem(await panel.post(`${path}/password`, { new_password: 'another secret' }))).toEqual([409, 'busy'])
    expect(problem(await panel.post(`${path}/tokens`, { name: 'x', scopes: ['full-access'] }))).toEqual([409, 'busy'])
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
  })
  test('ends its tokens at once', async () => {
    const panel = await startPanel({ driver: (root) => new PausedDriver(root) })
    const { account } = (await panel.post('/accounts', { username: 'alice', domain: 'alice.example' })).body
    const token = await panel.token(['full-access'], { account: account.id })
    expect((await panel.get('/token', { token })).status).toBe(200)
    await panel.delete(`/accounts/${account.id}?confirm=alice`)
    expect((await panel.get('/token', { token })).status).toBe(401)
  })
  test('refuses to terminate a reseller until it owns no account but itself', async () => {
    const panel = await startPanel()
    const rita = await panel.account('rita', { make_reseller: true, owns_itself: true })
    const bob = await panel.account('bob', { owner_id: rita.id })
    expect(problem(await panel.delete(`/accounts/${rita.id}?confirm=rita`))).toEqual([409, 'in-use'])
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
    await panel.delete(`/accounts/${bob.id}?confirm=bob`)
    await panel.settle()
    panel.forget()
    expect((await panel.delete(`/accounts/${rita.id}?confirm=rita`)).status).toBe(202)
    await panel.settle()
    expect(panel.events().sort()).toEqual(['account.terminated', 'job.completed', 'reseller.removed'])
  })
  test('keeps its job and events, with its names', async () => {
    const panel = await startPanel()
    const { id } = await panel.account('alice')
    const { job_id } = (await panel.delete(`/accounts/${id}?confirm=alice`)).body
    await panel.settle()
    expect((await panel.get(`/jobs/${job_id}`)).body.job).toMatchObject({ status: 'succeeded', account_id: id })
    const last = (await panel.get('/events?type=account.terminated')).body.items.at(-1)
    expect(last.data.account).toEqual({ id, username: 'alice', domain: 'alice.example' })
  })
})

describe('create that fails for good', () => {
  test('removes the account, frees its names, emits only job.failed, and says why', async () => {
    let driver: FailingDriver | undefined
    const panel = await startPanel({ driver: (root) => (driver = new FailingDriver(root, 3)) })
    const made = await panel.post('/accounts', { username: 'alice', domain: 'alice.example' })
    panel.forget()
    const token = await panel.token(['full-access'], { account: made.body.account.id })
    for (let attempt = 0; attempt < 3; attempt++) {
      await panel.settle()
      await panel.clock.advance(20_000)
    }
    expect(panel.events()).toEqual(['job.failed'])
    const { job, log } = (await panel.get(`/jobs/${made.body.job_id}`)).body
    expect(job).toMatchObject({ status: 'failed', attempts: 3, error: 'The disk of the host is full.' })
    expect(log.map(({ message }: { message: string }) => message)).toEqual(
      Array(3).fill('The disk of the host is full.'),
    )
    expect((await panel.get(`/accounts/${made.body.account.id}`)).code).toBe('not-found')
    expect((await panel.get('/token', { token })).status).toBe(401)
    expect(driver?.failures).toBe(0)
    const again = await panel.account('alice')
    expect([again.status, again.uid]).toEqual(['active', 20_001])
  })
  test('hides the details of an internal error', async () => {
    const secret = () => new Error('connect ECONNREFUSED /run/secret.sock')
    const panel = await startPanel({ driver: (root) => new FailingDriver(root, 3, secret) })
    const made = await panel.post('/accounts', { username: 'alice', domain: 'alice.example' })
    for (let attempt = 0; attempt < 3; attempt++) {
      await panel.settle()
      await panel.clock.advance(20_000)
    }
    const { job, log } = (await panel.get(`/jobs/${made.body.job_id}`)).body
    expect(job.status).toBe('failed')
    expect(JSON.stringify([job, log])).not.toContain('ECONNREFUSED')
    expect(panel.logged.join()).toContain('ECONNREFUSED')
  })
  test('ends the changes queued behind a create that fails', async () => {
    const panel = await startPanel({ driver: (root) => new FailingDriver(root, 3) })
    const { account } = (await panel.post('/accounts', { username: 'alice', domain: 'alice.example' })).body
    await panel.post(`/accounts/${account.id}/suspend`, {})
    await panel.delete(`/accounts/${account.id}?confirm=alice`)
    for (let attempt = 0; attempt < 4; attempt++) {
      await panel.settle()
      await panel.clock.advance(20_000)
    }
    expect(panel.jobs()).toEqual(['account.create failed', 'account.suspend failed', 'account.terminate succeeded'])
    expect((await panel.get('/accounts')).body.total).toBe(0)
  })
  test('hands the accounts of a reseller that could not be created to its own owner', async () => {
    let driver: FailingDriver | undefined
    const panel = await startPanel({ driver: (root) => (driver = new FailingDriver(root, 3)) })
    driver!.only = 'rita'
    const rita = (await panel.post('/accounts', { username: 'rita', domain: 'rita.example', make_reseller: true })).body
    const bob = await panel.account('bob', { owner_id: rita.account.id })
    for (let attempt = 0; attempt < 3; attempt++) {
      await panel.settle()
      await panel.clock.advance(20_000)
    }
    expect((await panel.get(`/accounts/${rita.account.id}`)).code).toBe('not-found')
    expect((await panel.get(`/accounts/${bob.id}`)).body).toMatchObject({
      status: 'active',
      owner_name: 'root',
      owner_id: rita.account.owner_id,
    })
  })
})

test('a suspension that fails on the host remains desired, and the next job applies it', async () => {
  let driver: FailingDriver | undefined
  const panel = await startPanel({ driver: (root) => (driver = new FailingDriver(root, 0)) })
  const { id } = await panel.account('alice')
  driver!.failures = 3
  await panel.post(`/accounts/${id}/suspend`, { reason: 'unpaid' })
  for (let attempt = 0; attempt < 3; attempt++) {
    await panel.settle()
    await panel.clock.advance(20_000)
  }
  expect(panel.events()).toEqual(['account.suspended', 'job.failed'])
  expect((await panel.get(`/accounts/${id}`)).body.status).toBe('suspended')
  await panel.patch(`/accounts/${id}`, { theme: 'dark' })
  await panel.settle()
  expect(panel.jobs()).toEqual(['account.suspend failed', 'account.update succeeded'])
  expect((await panel.get(`/accounts/${id}`)).body.status).toBe('suspended')
})
