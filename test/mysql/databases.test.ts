import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dataSchema } from '../../src/contract/events.ts'
import { job_id, nothing, occurred, password, problem, received, sqlOf, withAlice } from './fixtures.ts'

test('a database is created by a job, under the prefix of its account', async () => {
  const { panel, path } = await withAlice()
  const made = await panel.post(`${path}/databases`, { name: 'shop' })
  const { database } = made.body
  expect([made.status, made.body]).toEqual([
    202,
    {
      database: {
        id: database.id,
        name: 'alice_shop',
        collation: 'utf8mb4_unicode_ci',
        used_bytes: 0,
        measured_at: database.created_at,
        users: [],
        status: 'creating',
        created_at: database.created_at,
      },
      job_id,
    },
  ])
  expect(await occurred(panel)).toEqual({
    events: ['mysql.database.created', 'job.completed'],
    jobs: ['mysql.database.create succeeded'],
  })
  expect((await panel.get(`${path}/databases/${database.id}`)).body).toEqual({ ...database, status: 'active' })
  expect(sqlOf(panel)).toEqual([
    'CREATE DATABASE IF NOT EXISTS `alice_shop` CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci;',
  ])
  const file = lstatSync(join(panel.dir, 'host/etc/panel/db.d/alice.sql'))
  expect((file.mode & 0o7777).toString(8)).toBe('600')
})

test('its events match their schemas, with the full name', async () => {
  const { panel, path, database } = await withAlice()
  const { id, name } = await database('shop')
  await panel.delete(`${path}/databases/${id}?confirm=${name}`)
  for (const type of ['mysql.database.created', 'mysql.database.deleted'] as const) {
    const [data] = await received(panel, type)
    expect(dataSchema(type).parse(data)).toMatchObject({ object: 'database', object_id: id, details: { name } })
  }
})

test('mysql becomes alice_mysql, and alice_shop stays as it is', async () => {
  const { panel, path, database } = await withAlice()
  expect((await database('mysql')).name).toBe('alice_mysql')
  expect((await database('alice_shop')).name).toBe('alice_shop')
  expect(problem(await panel.post(`${path}/databases`, { name: 'shop' }))).toEqual([409, 'exists', 'name'])
  expect((await database('alic')).name).toBe('alice_alic')
})

const bad = [
  'a`b',
  'a%b',
  "a'b",
  'a;b',
  'a-b',
  'a.b',
  'A',
  'a_',
  'alice_',
  '_a',
  'a b',
  'a\nb',
  '',
  'ü',
  'a'.repeat(59),
]

test.each(bad)('refuses %j as the name of a database', async (name) => {
  const { panel, path } = await withAlice()
  expect(problem(await panel.post(`${path}/databases`, { name }))).toEqual([400, 'validation', 'name'])
  expect(await occurred(panel)).toEqual(nothing)
  expect((await panel.get(`${path}/databases`)).body).toEqual({ items: [], total: 0 })
  expect(sqlOf(panel)).toEqual([])
})

test('a full name has at most 64 characters', async () => {
  const { database } = await withAlice()
  expect((await database('a'.repeat(58))).name).toHaveLength(64)
})

test.each([
  ['utf8mb4_bin', 'utf8mb4'],
  ['utf8mb3_general_ci', 'utf8mb3'],
  ['latin1_swedish_ci', 'latin1'],
])('the collation %s implies the character set %s', async (collation, charset) => {
  const { panel, database } = await withAlice()
  await database('shop', { collation })
  expect(sqlOf(panel)[0]).toContain(`CHARACTER SET ${charset} COLLATE ${collation};`)
})

test('a collation that is not in the list is refused', async () => {
  const { panel, path } = await withAlice()
  const reply = await panel.post(`${path}/databases`, { name: 'shop', collation: 'utf8mb4_0900_ai_ci' })
  expect(problem(reply)).toEqual([400, 'validation', 'collation'])
})

test('deleting requires the name; the row goes, and its name is free, when the job has ended', async () => {
  const { panel, path, database } = await withAlice()
  const { id } = await database('shop')
  for (const query of ['', '?confirm=shop', '?confirm=ALICE_SHOP'])
    expect(problem(await panel.delete(`${path}/databases/${id}${query}`))).toEqual([400, 'validation', 'confirm'])
  expect(await occurred(panel)).toEqual(nothing)
  const deleted = await panel.delete(`${path}/databases/${id}?confirm=alice_shop`)
  expect([deleted.status, deleted.body.database.status]).toEqual([202, 'deleting'])
  const again = await panel.delete(`${path}/databases/${id}?confirm=alice_shop`)
  expect([again.status, again.body]).toEqual([202, deleted.body])
  expect(problem(await panel.post(`${path}/databases`, { name: 'shop' }))).toEqual([409, 'exists', 'name'])
  expect(await occurred(panel)).toEqual({
    events: ['mysql.database.deleted', 'job.completed'],
    jobs: ['mysql.database.delete succeeded'],
  })
  expect(problem(await panel.get(`${path}/databases/${id}`))).toEqual([404, 'not-found'])
  expect(sqlOf(panel)).toEqual([])
  await database('shop')
})

test('limits count rows, including those being deleted, and of two concurrent creates one wins', async () => {
  const { panel, alice, path, database } = await withAlice()
  await panel.patch(`/accounts/${alice.id}`, { max_sql: 2 })
  await panel.settle()
  const { id } = await database('one')
  const both = await Promise.all(['two', 'three'].map((name) => panel.post(`${path}/databases`, { name })))
  expect(both.map(problem)).toEqual([
    [202, undefined],
    [409, 'limit-reached', 'max_sql'],
  ])
  expect((await panel.get(`/accounts/${alice.id}/usage`)).body.databases).toEqual({ used: 2, limit: 2 })
  expect((await panel.get(path)).body.databases).toEqual({ used: 2, limit: 2 })
  expect((await panel.get(`/accounts/${alice.id}`)).body.db_count).toBe(2)
  await panel.settle()
  await panel.delete(`${path}/databases/${id}?confirm=alice_one`)
  expect(problem(await panel.post(`${path}/databases`, { name: 'three' }))).toEqual([409, 'limit-reached', 'max_sql'])
  await panel.settle()
  expect((await panel.get(`/accounts/${alice.id}`)).body.db_count).toBe(1)
  expect((await panel.post(`${path}/databases`, { name: 'three' })).status).toBe(202)
})

test('a limit of 0 allows none, and without a limit there is none', async () => {
  const { panel, alice, path, database } = await withAlice()
  expect((await panel.get(path)).body.databases).toEqual({ used: 0 })
  await database('one')
  await panel.patch(`/accounts/${alice.id}`, { max_sql: 0 })
  expect(problem(await panel.post(`${path}/databases`, { name: 'two' }))).toEqual([409, 'limit-reached', 'max_sql'])
})

test('the server describes how names are formed and its address', async () => {
  const { panel, path } = await withAlice()
  expect((await panel.get(path)).body).toEqual({
    host: 'localhost',
    port: 3306,
    prefix: 'alice_',
    max_database_name: 64,
    max_user_name: 32,
    databases: { used: 0 },
  })
  await panel.patch('/settings', { mysql_public: true })
  expect((await panel.get(path)).body.host).toBe('host.example')
})

test('lists are paged and searched by name', async () => {
  const { panel, path, database } = await withAlice()
  for (const name of ['shop', 'shop2', 'blog']) await database(name)
  const names = async (query: string) => {
    const { items, total } = (await panel.get(`${path}/databases?${query}`)).body
    return [total, ...items.map(({ name }: { name: string }) => name)]
  }
  expect(await names('per_page=2&page=2')).toEqual([3, 'alice_blog'])
  expect(await names('q=shop')).toEqual([2, 'alice_shop', 'alice_shop2'])
  expect(await names('order=desc&per_page=1')).toEqual([3, 'alice_blog'])
})

test('refuses additions with the feature off, but shows and deletes existing databases', async () => {
  const { panel, alice, path, database, user, grant } = await withAlice()
  const shop = await database('shop')
  const app = await user('app')
  await grant(shop, app)
  const list = (await panel.get(`/feature-lists/${alice.feature_list_id}`)).body
  await panel.patch(`/feature-lists/${list.id}`, { features: { ...list.features, mysql: false } })
  const pair = `${path}/databases/${shop.id}/users/${app.id}`
  for (const reply of [
    await panel.post(`${path}/databases`, '{'),
    await panel.post(`${path}/users`, {}),
    await panel.post(`${path}/users/${app.id}/password`, {}),
    await panel.post(`${path}/hosts`, {}),
    await panel.put(pair, {}),
  ])
    expect(problem(reply)).toEqual([403, 'feature-disabled'])
  expect((await panel.get(`${path}/databases`)).body.total).toBe(1)
  expect((await panel.delete(pair)).status).toBe(202)
  expect((await panel.delete(`${path}/users/${app.id}`)).status).toBe(202)
  expect((await panel.delete(`${path}/databases/${shop.id}?confirm=alice_shop`)).status).toBe(202)
  await panel.settle()
  expect(sqlOf(panel)).toEqual([])
})

test('a database is created together with a user that may use it', async () => {
  const { panel, path } = await withAlice()
  const made = await panel.post(`${path}/databases`, { name: 'shop', user: 'app', password })
  const [user] = (await panel.get(`${path}/users`)).body.items
  expect([made.status, made.body.database.users, made.body.job_id]).toEqual([
    202,
    [{ id: user.id, name: 'alice_app', privileges: ['ALL'] }],
    job_id,
  ])
  expect(await occurred(panel)).toEqual({
    events: ['mysql.database.created', 'mysql.user.created', 'job.completed', 'job.completed'],
    jobs: ['mysql.database.create succeeded', 'mysql.user.create succeeded'],
  })
  expect(sqlOf(panel).join('\n')).toContain("GRANT ALL PRIVILEGES ON `alice\\_shop`.* TO 'alice_app'@'localhost';")
  expect((await panel.get(`${path}/users/${user.id}`)).body.status).toBe('active')
  const [audited] = (await panel.get('/audit?operation=createDatabase')).body.items
  expect(audited.after).toEqual({
    name: 'alice_shop',
    collation: 'utf8mb4_unicode_ci',
    user: 'alice_app',
    privileges: ['ALL'],
  })
})

test('a database is created for a user that exists', async () => {
  const { panel, path, user } = await withAlice()
  const app = await user('app')
  const made = await panel.post(`${path}/databases`, { name: 'shop', user: 'alice_app', privileges: ['SELECT'] })
  expect(made.body.database.users).toEqual([{ id: app.id, name: 'alice_app', privileges: ['SELECT'] }])
  expect(await occurred(panel)).toEqual({
    events: ['mysql.database.created', 'job.completed'],
    jobs: ['mysql.database.create succeeded'],
  })
})

test.each([
  ['a new user without a password', { user: 'web' }, 'password'],
  ['a password for a user that exists', { user: 'app', password }, 'password'],
  ['a password without a user', { password }, 'password'],
  ['privileges without a user', { privileges: ['ALL'] }, 'privileges'],
  ['ALL beside others', { user: 'app', privileges: ['ALL', 'SELECT'] }, 'privileges'],
  ['a name that is too long', { user: 'a'.repeat(30), password }, 'user'],
  ['a password that is the name', { user: 'kingfisher', password: 'kingfisher' }, 'password'],
])('refuses %s, and creates nothing', async (_, fields, field) => {
  const { panel, path, user } = await withAlice()
  await user('app')
  const refused = await panel.post(`${path}/databases`, { name: 'shop', ...fields })
  expect(problem(refused)).toEqual([400, 'validation', field])
  expect(await occurred(panel)).toEqual(nothing)
  expect((await panel.get(`${path}/databases`)).body.total).toBe(0)
  expect((await panel.get(`${path}/users`)).body.total).toBe(1)
})

test('refuses a user that is being deleted', async () => {
  const { panel, path, user } = await withAlice()
  const { id } = await user('app')
  await panel.delete(`${path}/users/${id}`)
  const refused = await panel.post(`${path}/databases`, { name: 'shop', user: 'app' })
  expect([refused.status, (await panel.get(`${path}/databases`)).body.total]).toEqual([409, 0])
})
