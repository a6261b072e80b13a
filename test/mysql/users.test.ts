import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dataSchema } from '../../src/contract/events.ts'
import type { Reply } from '../harness.ts'
import { hashed, job_id, nothing, occurred, password, problem, received, sqlOf, withAlice } from './fixtures.ts'

test('a user is created by a job, with only the hash of its password', async () => {
  const { panel, path } = await withAlice()
  const made = await panel.post(`${path}/users`, { name: 'app', password })
  const { user } = made.body
  expect([made.status, made.body]).toEqual([
    202,
    {
      user: {
        id: user.id,
        name: 'alice_app',
        databases: [],
        password_changed_at: user.created_at,
        status: 'creating',
        created_at: user.created_at,
      },
      job_id,
    },
  ])
  expect(await occurred(panel)).toEqual({
    events: ['mysql.user.created', 'job.completed'],
    jobs: ['mysql.user.create succeeded'],
  })
  expect((await panel.get(`${path}/users/${user.id}`)).body).toEqual({ ...user, status: 'active' })
  expect(sqlOf(panel)).toEqual([
    `CREATE USER IF NOT EXISTS 'alice_app'@'localhost' IDENTIFIED VIA mysql_native_password USING '${hashed}' ACCOUNT UNLOCK;`,
  ])
})

test('its events match their schemas', async () => {
  const { panel, path, user } = await withAlice()
  const { id, name } = await user('app')
  await panel.delete(`${path}/users/${id}`)
  for (const type of ['mysql.user.created', 'mysql.user.deleted'] as const) {
    const [data] = await received(panel, type)
    expect(dataSchema(type).parse(data)).toMatchObject({ object: 'database_user', object_id: id, details: { name } })
  }
})

test('a new password is applied by the next job, and one job may carry several', async () => {
  const { panel, path, user } = await withAlice()
  const { id } = await user('app')
  await panel.clock.advance(1000)
  const at = `${path}/users/${id}/password`
  const [first, second] = (await Promise.all(
    ['canary-Dipper-5522', 'canary-Wagtail-5523'].map((new_password) => panel.post(at, { new_password })),
  )) as [Reply, Reply]
  expect([first.status, second.body.job_id]).toEqual([202, first.body.job_id])
  expect(second.body.user.password_changed_at).toBe(panel.clock.now())
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['mysql.user.password succeeded'] })
  expect(sqlOf(panel)[0]).not.toContain(hashed)
})

test.each([
  ['seven77', 'too short'],
  ['x'.repeat(129), 'too long'],
  ['pass\nword', 'a newline'],
  ['pass\u007fword', 'a control character'],
  ['alice_application', 'the name itself'],
  ['application', 'the name without the prefix'],
])('refuses the password %j: %s', async (wrong) => {
  const { panel, path, user } = await withAlice()
  const { id } = await user('application')
  const reply = await panel.post(`${path}/users/${id}/password`, { new_password: wrong })
  expect(problem(reply)).toEqual([400, 'validation', 'new_password'])
  if (!wrong.includes('application'))
    expect(problem(await panel.post(`${path}/users`, { name: 'other', password: wrong }))).toEqual([
      400,
      'validation',
      'password',
    ])
  expect(await occurred(panel)).toEqual(nothing)
})

test('all errors of a new user are reported together', async () => {
  const { panel, path } = await withAlice()
  const both = await panel.post(`${path}/users`, { name: 'B;', password: 'short' })
  expect(problem(both)).toEqual([400, 'validation', 'name', 'password'])
  const own = await panel.post(`${path}/users`, { name: 'a'.repeat(27), password: 'a'.repeat(27) })
  expect(problem(own)).toEqual([400, 'validation', 'name', 'password'])
  expect(problem(await panel.post(`${path}/users`, { name: 'a'.repeat(27), password }))).toEqual([
    400,
    'validation',
    'name',
  ])
  expect((await panel.post(`${path}/users`, { name: 'a'.repeat(26), password })).status).toBe(202)
})

test('an account has at most 100 users', async () => {
  const { panel, path } = await withAlice()
  for (let n = 0; n < 100; n++)
    expect((await panel.post(`${path}/users`, { name: `u${n}`, password })).status).toBe(202)
  expect(problem(await panel.post(`${path}/users`, { name: 'u1', password }))).toEqual([409, 'exists', 'name'])
  expect(problem(await panel.post(`${path}/users`, { name: 'more', password }))).toEqual([409, 'too-many'])
  await panel.settle()
})

test('a deleted user is removed from the host, and is busy until then', async () => {
  const { panel, path, user, database, grant } = await withAlice()
  const app = await user('app')
  const shop = await database('shop')
  await grant(shop, app)
  const deleted = await panel.delete(`${path}/users/${app.id}`)
  expect([deleted.status, deleted.body.user.status]).toEqual([202, 'deleting'])
  expect((await panel.delete(`${path}/users/${app.id}`)).body).toEqual(deleted.body)
  const change = await panel.post(`${path}/users/${app.id}/password`, { new_password: 'canary-Dipper-5522' })
  expect(problem(change)).toEqual([409, 'busy'])
  expect(problem(await panel.put(`${path}/databases/${shop.id}/users/${app.id}`, {}))).toEqual([409, 'busy'])
  expect((await panel.get(`${path}/databases/${shop.id}`)).body.users).toEqual([])
  expect(await occurred(panel)).toEqual({
    events: ['mysql.user.deleted', 'job.completed'],
    jobs: ['mysql.user.delete succeeded'],
  })
  expect(sqlOf(panel)).toHaveLength(1)
  expect(problem(await panel.get(`${path}/users/${app.id}`))).toEqual([404, 'not-found'])
})

test('no response, event, job, log, audit row or byte of the store has a password or its hash', async () => {
  const { panel, alice, path, user } = await withAlice()
  const { id } = await user('app')
  const next = 'canary-Dipper-5522'
  await panel.post(`${path}/users/${id}/password`, { new_password: next })
  await panel.settle()
  const reported = await Promise.all(
    [`/events`, '/jobs', '/audit', `${path}/users`, `/accounts/${alice.id}/audit`].map((at) => panel.get(at)),
  )
  const places = {
    answers: JSON.stringify(reported),
    logs: panel.logged.join('\n'),
    store: ['panel.db', 'panel.db-wal'].map((file) => readFileSync(join(panel.dir, file), 'latin1')).join(),
  }
  for (const [place, text] of Object.entries(places))
    for (const secret of [password, next, hashed, hashed.slice(1)])
      expect([place, text.includes(secret)]).toEqual([place, false])
})
