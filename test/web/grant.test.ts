import { expect, test } from 'vitest'
import { startPanel } from '../harness.ts'
import { password, textOf, Visitor } from './visitor.ts'

const checked = (body: string): string[] =>
  [...body.matchAll(/<input[^>]*name="privileges"[^>]*>/g)]
    .filter(([input]) => / checked/.test(input))
    .map(([input]) => /value="([^"]*)"/.exec(input)?.[1] ?? '')

test('the privileges page shows what the user may do, and saving it unchanged takes nothing away', async () => {
  const panel = await startPanel()
  const { id } = await panel.account('alice', { password })
  const mysql = `/accounts/${id}/mysql`
  const { database } = (await panel.post(`${mysql}/databases`, { name: 'shop' })).body
  const { user } = (await panel.post(`${mysql}/users`, { name: 'app', password })).body
  const visitor = await new Visitor(panel).signIn('alice')
  const address = '/user/mysql/alice_shop/users/alice_app'
  const before = await visitor.get(address)
  expect(checked(before.body)).toEqual(['ALL'])
  expect(textOf(before.body)).not.toContain('Take all privileges away')

  await panel.put(`${mysql}/databases/${database.id}/users/${user.id}`, { privileges: ['SELECT', 'INSERT'] })
  const page = await visitor.get(address)
  expect(checked(page.body)).toEqual(['SELECT', 'INSERT'])
  expect((await visitor.get(`/user/mysql/${database.id}/users/${user.id}`)).body).toContain('alice_shop')
  await visitor.submit(page, 'setDatabaseGrant')
  const { users } = (await panel.get(`${mysql}/databases/${database.id}`)).body
  expect(users).toEqual([{ id: user.id, name: 'alice_app', privileges: ['SELECT', 'INSERT'] }])
})
