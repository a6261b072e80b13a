import { expect, test } from 'vitest'
import { privileges } from '../../src/shared/sql/privileges.ts'
import { unknown } from '../world.ts'
import { mysqlOf, nothing, occurred, problem, sqlOf, withAlice } from './fixtures.ts'

async function withPair() {
  const input = await withAlice()
  const shop = await input.database('shop')
  const app = await input.user('app')
  return { ...input, shop, app, pair: `${input.path}/databases/${shop.id}/users/${app.id}` }
}

const grants = (lines: string[]) => lines.filter((line) => line.startsWith('GRANT'))

test("the grant's text has alice\\_shop, CREATE DATABASE has not", async () => {
  const { panel, shop, app, pair } = await withPair()
  const reply = await panel.put(pair, {})
  const granted = [{ id: app.id, name: 'alice_app', privileges: ['ALL'] }]
  expect([reply.status, reply.body.database]).toEqual([202, { ...shop, status: 'active', users: granted }])
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['mysql.grant.update succeeded'] })
  expect(grants(sqlOf(panel))).toEqual(["GRANT ALL PRIVILEGES ON `alice\\_shop`.* TO 'alice_app'@'localhost';"])
  expect(sqlOf(panel)[0]).toContain('`alice_shop`')
})

test('privileges are stored in list order, without duplicates, and replace the previous ones', async () => {
  const { panel, path, pair, shop, app } = await withPair()
  const [first, second] = await Promise.all([
    panel.put(pair, { privileges: ['UPDATE', 'SELECT', 'UPDATE'] }),
    panel.put(pair, { privileges: ['CREATE TEMPORARY TABLES', 'INSERT'] }),
  ])
  expect(first.body.database.users[0].privileges).toEqual(['SELECT', 'UPDATE'])
  expect(second.body.job_id).toBe(first.body.job_id)
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['mysql.grant.update succeeded'] })
  expect(grants(sqlOf(panel))).toEqual([
    "GRANT INSERT, CREATE TEMPORARY TABLES ON `alice\\_shop`.* TO 'alice_app'@'localhost';",
  ])
  const visible = (await panel.get(`${path}/users/${app.id}`)).body.databases
  expect(visible).toEqual([{ id: shop.id, name: 'alice_shop', privileges: ['INSERT', 'CREATE TEMPORARY TABLES'] }])
})

test('grants all privileges together by name', async () => {
  const { panel, pair } = await withPair()
  await panel.put(pair, { privileges: [...privileges].reverse() })
  await panel.settle()
  expect(grants(sqlOf(panel))).toEqual([
    `GRANT ${privileges.join(', ')} ON \`alice\\_shop\`.* TO 'alice_app'@'localhost';`,
  ])
})

test.each([[['ALL', 'SELECT']], [[]], [['GRANT OPTION']], [['SUPER']], [['select']], ['SELECT'], [null]])(
  'refuses the privileges %j',
  async (privileges) => {
    const { panel, pair } = await withPair()
    expect(problem(await panel.put(pair, { privileges }))).toEqual([400, 'validation', 'privileges'])
    expect(await occurred(panel)).toEqual(nothing)
  },
)

test('a database and a user may still be in creation', async () => {
  const { panel, path } = await withAlice()
  const { database } = (await panel.post(`${path}/databases`, { name: 'shop' })).body
  const { user } = (await panel.post(`${path}/users`, { name: 'app', password: 'a password of its own' })).body
  expect((await panel.put(`${path}/databases/${database.id}/users/${user.id}`, {})).status).toBe(202)
  expect(await occurred(panel)).toEqual({
    events: ['mysql.database.created', 'mysql.user.created', 'job.completed', 'job.completed', 'job.completed'],
    jobs: ['mysql.database.create succeeded', 'mysql.user.create succeeded', 'mysql.grant.update succeeded'],
  })
  expect(grants(sqlOf(panel))).toHaveLength(1)
})

test('a grant is revoked; without one it is not found', async () => {
  const { panel, path, shop, app, pair } = await withPair()
  expect(problem(await panel.delete(pair))).toEqual([404, 'not-found'])
  await panel.put(pair, {})
  await panel.settle()
  panel.forget()
  const reply = await panel.delete(pair)
  expect([reply.status, reply.body.database.users]).toEqual([202, []])
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['mysql.grant.update succeeded'] })
  expect(grants(sqlOf(panel))).toEqual([])
  expect((await panel.get(`${path}/users/${app.id}`)).body.databases).toEqual([])
  await panel.delete(`${path}/databases/${shop.id}?confirm=alice_shop`)
  expect(problem(await panel.put(pair, {}))).toEqual([409, 'busy'])
})

test("alice's database with bob's user is not found, even by root", async () => {
  const { panel, path, shop, app } = await withPair()
  const bobs = mysqlOf(panel, (await panel.account('bob')).id)
  const bob = await bobs.user('app')
  for (const pair of [
    `${path}/databases/${shop.id}/users/${bob.id}`,
    `${bobs.path}/databases/${shop.id}/users/${bob.id}`,
    `${path}/databases/${shop.id}/users/${unknown}`,
    `${path}/databases/${unknown}/users/${app.id}`,
  ]) {
    expect(problem(await panel.put(pair, {}))).toEqual([404, 'not-found'])
    expect(problem(await panel.delete(pair))).toEqual([404, 'not-found'])
  }
  expect(await occurred(panel)).toEqual(nothing)
})
