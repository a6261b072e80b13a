import { expect, test } from 'vitest'
import { type AccountState, HostError } from '../../src/host/contract/driver.ts'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import { exhaust, occurred, password, problem, sqlOf, withAlice } from './fixtures.ts'

/** A host that refuses changes while it is down, and records its desired state. */
async function fragile() {
  const host = { down: false, received: [] as AccountState['parts']['db'][] }
  const input = await withAlice({
    driver: (root) => {
      const real = createDirectoryDriver({ root })
      const apply = real.apply.bind(real)
      real.apply = (state, options) => {
        host.received.push(...state.accounts.map(({ parts }) => parts.db))
        return host.down ? Promise.reject(new HostError('install', 'The disk is read-only.')) : apply(state, options)
      }
      return real
    },
  })
  return { ...input, host }
}

test('a database that could not be created leaves nothing: no row, no event of its own, its name is free', async () => {
  const { panel, path, host } = await fragile()
  host.down = true
  const made = await panel.post(`${path}/databases`, { name: 'shop' })
  await exhaust(panel)
  expect(await occurred(panel)).toEqual({
    events: ['mysql.database.created', 'job.failed'],
    jobs: ['mysql.database.create failed'],
  })
  expect((await panel.get(`/jobs/${made.body.job_id}`)).body.job.max_attempts).toBe(3)
  expect((await panel.get(`${path}/databases`)).body).toEqual({ items: [], total: 0 })
  expect(host.received.at(-1)?.databases).toEqual([{ name: 'alice_shop', collation: 'utf8mb4_unicode_ci', gone: true }])
  host.down = false
  expect((await panel.post(`${path}/databases`, { name: 'shop' })).status).toBe(202)
  expect((await occurred(panel)).jobs).toEqual(['mysql.database.create succeeded'])
})

test('a user and a host that could not be created are removed as well', async () => {
  const { panel, path, host } = await fragile()
  await panel.patch('/settings', { mysql_public: true })
  host.down = true
  await panel.post(`${path}/users`, { name: 'app', password })
  await panel.post(`${path}/hosts`, { host: '192.0.2.7' })
  for (let n = 0; n < 2; n++) await exhaust(panel)
  expect(await occurred(panel)).toEqual({
    events: ['mysql.user.created', 'job.failed', 'job.failed'],
    jobs: ['mysql.user.create failed', 'mysql.host.update failed'],
  })
  expect(host.received.at(-1)?.hosts).toEqual([{ host: '192.0.2.7', gone: true }])
  expect((await panel.get(`${path}/users`)).body.total).toBe(0)
  expect((await panel.get(`${path}/hosts`)).body.items).toEqual([])
})

test('a change that failed for good stays desired, and the next job applies it', async () => {
  const { panel, path, host, database, user } = await fragile()
  const shop = await database('shop')
  const app = await user('app')
  host.down = true
  await panel.put(`${path}/databases/${shop.id}/users/${app.id}`, {})
  await exhaust(panel)
  expect(await occurred(panel)).toEqual({ events: ['job.failed'], jobs: ['mysql.grant.update failed'] })
  expect((await panel.get(`${path}/databases/${shop.id}`)).body.users).toHaveLength(1)
  host.down = false
  await database('blog')
  expect(sqlOf(panel).some((line) => line.startsWith('GRANT ALL PRIVILEGES ON `alice\\_shop`'))).toBe(true)
})

test('a failed deletion stays deleting, is sent with each job, and can be repeated', async () => {
  const { panel, path, host, database, user } = await fragile()
  await panel.patch('/settings', { mysql_public: true })
  const shop = await database('shop')
  const app = await user('app')
  const { id } = (await panel.post(`${path}/hosts`, { host: '192.0.2.7' })).body.host
  await panel.settle()
  panel.forget()
  host.down = true
  const paths = [`databases/${shop.id}?confirm=alice_shop`, `users/${app.id}`, `hosts/${id}`]
  const first = await Promise.all(paths.map(async (method) => (await panel.delete(`${path}/${method}`)).body.job_id))
  for (let n = 0; n < 3; n++) await exhaust(panel)
  expect(await occurred(panel)).toEqual({
    events: ['mysql.database.deleted', 'mysql.user.deleted', 'job.failed', 'job.failed', 'job.failed'],
    jobs: ['mysql.database.delete failed', 'mysql.user.delete failed', 'mysql.host.update failed'],
  })
  for (const list of ['databases', 'users', 'hosts'])
    expect((await panel.get(`${path}/${list}`)).body.items[0].status).toBe('deleting')
  expect(host.received.at(-1)).toMatchObject({
    databases: [{ gone: true }],
    users: [{ gone: true }],
    hosts: [{ gone: true }],
  })
  host.down = false
  for (const [n, method] of paths.entries()) {
    const again = await panel.delete(`${path}/${method}`)
    expect([again.status, first.includes(again.body.job_id), n]).toEqual([202, false, n])
  }
  expect((await occurred(panel)).events).toEqual(['job.completed', 'job.completed', 'job.completed'])
  for (const list of ['databases', 'users', 'hosts'])
    expect((await panel.get(`${path}/${list}`)).body.items).toEqual([])
})

test('one deleted during its creation is removed by its own job, even if the creation failed', async () => {
  const { panel, path, host } = await fragile()
  host.down = true
  const { database } = (await panel.post(`${path}/databases`, { name: 'shop' })).body
  expect((await panel.delete(`${path}/databases/${database.id}?confirm=alice_shop`)).status).toBe(202)
  const created = async () => (await panel.get('/jobs?kind=mysql.database.create')).body.items[0].status
  for (let n = 0; n < 10 && (await created()) !== 'failed'; n++) {
    await panel.settle()
    await panel.clock.advance(10_000)
  }
  expect(problem(await panel.post(`${path}/databases`, { name: 'shop' }))).toEqual([409, 'exists', 'name'])
  host.down = false
  await exhaust(panel)
  expect((await panel.get(`${path}/databases`)).body.total).toBe(0)
  expect((await panel.get('/jobs?kind=mysql.database.delete')).body.items[0].status).toBe('succeeded')
})
