import { expect, test } from 'vitest'
import type { Belongings, HostDriver } from '../../src/host/contract/driver.ts'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import { resellerToken } from '../world.ts'
import { hashed, mysqlOf, occurred, password, problem, sqlOf, withAlice } from './fixtures.ts'

const users = (lines: string[]) => lines.filter((line) => line.includes(' USER '))

test('suspending locks every user, unsuspending unlocks them; their grants stay', async () => {
  const { panel, alice, database, user, grant } = await withAlice()
  const shop = await database('shop')
  const app = await user('app')
  await grant(shop, app, ['SELECT'])
  const before = sqlOf(panel)
  await panel.post(`/accounts/${alice.id}/suspend`, {})
  await panel.settle()
  expect(users(sqlOf(panel))).toEqual([
    `CREATE USER IF NOT EXISTS 'alice_app'@'localhost' IDENTIFIED VIA mysql_native_password USING '${hashed}' ACCOUNT LOCK;`,
  ])
  expect(sqlOf(panel).filter((line) => !line.includes(' USER '))).toEqual(
    before.filter((line) => !line.includes(' USER ')),
  )
  await panel.post(`/accounts/${alice.id}/unsuspend`)
  await panel.settle()
  expect(sqlOf(panel)).toEqual(before)
})

test('root may do what a suspended account may not', async () => {
  const { panel, alice, path } = await withAlice()
  const token = await panel.token(['mysql:write'], { account: alice.id })
  await panel.post(`/accounts/${alice.id}/suspend`, {})
  await panel.settle()
  expect(problem(await panel.post(`${path}/databases`, { name: 'shop' }, { token }))).toEqual([
    403,
    'account-suspended',
  ])
  expect((await panel.post(`${path}/databases`, { name: 'shop' })).status).toBe(202)
  await panel.settle()
})

test('a new username keeps the prefix, for new names too; another alice gets a different one', async () => {
  const { panel, alice, path, database, user } = await withAlice()
  await database('shop')
  await panel.patch(`/accounts/${alice.id}`, { username: 'alicia' })
  expect(await occurred(panel)).toEqual({
    events: ['account.renamed', 'job.completed'],
    jobs: ['account.update succeeded'],
  })
  expect((await panel.get(path)).body.prefix).toBe('alice_')
  expect((await user('app')).name).toBe('alice_app')
  expect(sqlOf(panel)).toEqual([])
  expect(sqlOf(panel, 'alicia')).toHaveLength(2)
  const other = await panel.account('alice', { domain: 'other.example' })
  expect(other.db_prefix).toBe('alice01_')
  const made = await mysqlOf(panel, other.id).database('alice_shop')
  expect(made.name).toBe('alice01_alice_shop')
})

test('termination sends the host all names to remove, and frees the prefix', async () => {
  const gone: (Belongings | undefined)[] = []
  const received = (root: string): HostDriver => {
    const driver = createDirectoryDriver({ root })
    const remove = driver.remove.bind(driver)
    driver.remove = (account, options) => {
      gone.push(options?.belongings)
      return remove(account, options)
    }
    return driver
  }
  const { panel, alice, path, database, user } = await withAlice({ driver: received })
  await database('shop')
  await database('blog')
  const app = await user('app')
  await panel.delete(`${path}/users/${app.id}`)
  await panel.delete(`/accounts/${alice.id}?confirm=alice`)
  expect((await occurred(panel)).events).toEqual(['mysql.user.deleted', 'account.terminated', 'job.completed'])
  // The user's own job is overtaken: the removal takes its name.
  expect(gone).toEqual([{ databases: ['alice_shop', 'alice_blog'], databaseUsers: ['alice_app'] }])
  expect(sqlOf(panel)).toEqual([])
  const again = await panel.account('alice')
  expect(again.db_prefix).toBe('alice_')
  expect((await panel.get(`/accounts/${again.id}/mysql/databases`)).body.total).toBe(0)
})

test('no database can be added while the account is terminating', async () => {
  const { panel, alice, path } = await withAlice()
  await panel.delete(`/accounts/${alice.id}?confirm=alice`)
  expect(problem(await panel.post(`${path}/databases`, { name: 'shop' }))).toEqual([409, 'busy'])
  await panel.settle()
})

test('an account that is still provisioning accepts databases; their jobs queue behind', async () => {
  const { panel } = await withAlice()
  const { account } = (await panel.post('/accounts', { username: 'bob', domain: 'bob.example' })).body
  const { path } = mysqlOf(panel, account.id)
  expect((await panel.post(`${path}/databases`, { name: 'shop' })).status).toBe(202)
  expect((await occurred(panel)).jobs).toEqual(['account.create succeeded', 'mysql.database.create succeeded'])
  expect(sqlOf(panel, 'bob')).toHaveLength(1)
})

test('a smaller package keeps existing ones, and refuses more', async () => {
  const { panel, alice, path, database } = await withAlice()
  const { id } = await database('shop')
  const none = (await panel.post('/packages', { name: 'none', max_sql: 0 })).body
  expect((await panel.put(`/accounts/${alice.id}/package`, { package_id: none.id })).status).toBe(202)
  await panel.settle()
  expect((await panel.get(path)).body.databases).toEqual({ used: 1, limit: 0 })
  expect(problem(await panel.post(`${path}/databases`, { name: 'blog' }))).toEqual([409, 'limit-reached', 'max_sql'])
  expect((await panel.delete(`${path}/databases/${id}?confirm=alice_shop`)).status).toBe(202)
  await panel.settle()
})

test('lookup finds databases and users by their full names, each caller its own', async () => {
  const { panel, alice, database, user } = await withAlice()
  const shop = await database('shop')
  const app = await user('shop')
  const bob = await panel.account('bob')
  const reseller = await resellerToken(panel, (await panel.account('rita', { make_reseller: true })).id, ['list-accts'])
  const found = async (path: string, send = {}) =>
    (await panel.get(path, send)).body.items.map(({ kind, id, username }: Record<string, string>) => [
      kind,
      id,
      username,
    ])
  const both = [
    ['database', shop.id, 'alice'],
    ['database_user', app.id, 'alice'],
  ]
  expect(await found('/lookup?name=alice_shop')).toEqual(both)
  expect(await found('/lookup?prefix=alice_&kind=database')).toEqual([both[0]])
  expect(await found('/lookup?name=ALICE_SHOP&kind=database')).toEqual([])
  expect(await found('/lookup?name=alice_shop', { token: reseller })).toEqual([])
  expect(await found(`/accounts/${bob.id}/lookup?name=alice_shop`)).toEqual([])
  const token = await panel.token(['mysql:read'], { account: alice.id })
  expect(await found(`/accounts/${alice.id}/lookup?name=alice_shop`, { token })).toEqual(both)
  const other = await panel.token(['email:read'], { account: alice.id })
  expect(await found(`/accounts/${alice.id}/lookup?name=alice_shop`, { token: other })).toEqual([])
})

test("an account's token with the area mysql can access its jobs", async () => {
  const { panel, alice, path } = await withAlice()
  const token = await panel.token(['mysql:write'], { account: alice.id })
  const made = await panel.post(`${path}/users`, { name: 'app', password }, { token })
  await panel.settle()
  const job = await panel.get(`/accounts/${alice.id}/jobs/${made.body.job_id}`, { token })
  expect([job.status, job.body.job.kind, job.body.job.status, job.body.job.payload]).toEqual([
    200,
    'mysql.user.create',
    'succeeded',
    {},
  ])
})

test('a phpMyAdmin link finds its account, and is not configured on this host', async () => {
  const { panel, alice } = await withAlice()
  expect(problem(await panel.post(`/accounts/${alice.id}/phpmyadmin`))).toEqual([409, 'not-configured'])
  expect(problem(await panel.post('/accounts/01K9ZQ5T3M8V4X7C2B6N1D0FGH/phpmyadmin'))).toEqual([404, 'not-found'])
})

test('the measured size of databases is shown, for each and in total', async () => {
  const sizes = [
    { name: 'alice_shop', bytes: 5_242_880 },
    { name: 'alice_blog', bytes: 16_384 },
  ]
  const { panel, alice, path, database } = await withAlice({
    driver: (root) => {
      const real = createDirectoryDriver({ root })
      const usage = real.usage.bind(real)
      real.usage = async (...requests) => (await usage(...requests)).map((one) => ({ ...one, databases: sizes }))
      return real
    },
  })
  const shop = await database('shop')
  const blog = await database('blog')
  await panel.clock.advance(15 * 60_000)
  await panel.settle()
  const visible = async (id: string) => (await panel.get(`${path}/databases/${id}`)).body
  // Measuring is host work without a job.
  await expect.poll(async () => (await visible(shop.id)).used_bytes).toBeGreaterThan(0)
  expect(await visible(shop.id)).toMatchObject({ used_bytes: 5_242_880, measured_at: panel.clock.now() })
  expect(await visible(blog.id)).toMatchObject({ used_bytes: 16_384, measured_at: panel.clock.now() })
  expect((await panel.get(`/accounts/${alice.id}`)).body).toMatchObject({ db_count: 2, db_used_bytes: 5_259_264 })
})
