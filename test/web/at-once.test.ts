import { expect, test } from 'vitest'
import { startPanel } from '../harness.ts'
import { password, Visitor } from './visitor.ts'

const entries = (body: string): string[] => {
  const [, nav = ''] = /<nav class="nav".*?>(.*?)<\/nav>/s.exec(body) ?? []
  return [...nav.matchAll(/<li><a href="([^"]+)"/g)].map(([, href]) => href!)
}

test('a granted or revoked privilege changes the next page, for one session and not for another', async () => {
  const panel = await startPanel()
  const rights: Record<string, string> = {}
  for (const name of ['rita', 'rosa']) {
    rights[name] = `/resellers/${(await panel.account(name, { make_reseller: true, password })).id}/acl`
    await panel.put(rights[name], { acl: ['list-accts'] })
  }
  const [rita, rosa] = [
    await new Visitor(panel).signIn('rita', 'admin'),
    await new Visitor(panel).signIn('rosa', 'admin'),
  ]
  const visible = async (visitor: Visitor) => entries((await visitor.get('/admin/')).body)
  const before = await visible(rita)
  expect(before).toContain('/admin/accounts')
  expect(await visible(rosa)).toEqual(before)
  await panel.put(rights['rita']!, { acl: [] })
  expect(await visible(rita)).not.toContain('/admin/accounts')
  expect(await visible(rosa)).toEqual(before)
  await panel.put(rights['rita']!, { acl: ['list-accts'] })
  expect(await visible(rita)).toEqual(before)
})

test('a disabled feature disappears from the next page, and comes back once enabled', async () => {
  const panel = await startPanel()
  await panel.account('alice', { password })
  const { items } = (await panel.get('/feature-lists')).body
  const alice = await new Visitor(panel).signIn('alice')
  const visible = async () => entries((await alice.get('/user/')).body).includes('/user/cron')
  const seen = [await visible()]
  for (const cron of [false, true]) {
    await panel.patch(`/feature-lists/${items[0].id}`, { features: { cron } })
    seen.push(await visible())
  }
  expect(seen).toEqual([true, false, true])
})

test('a session that was ended is over at the next page', async () => {
  const panel = await startPanel()
  const { id } = await panel.account('alice', { password })
  const alice = await new Visitor(panel).signIn('alice')
  expect((await alice.get('/user/')).status).toBe(200)
  await panel.post(`/accounts/${id}/password`, { new_password: 'another horse battery' })
  expect((await alice.get('/user/')).status).toBe(303)
})

test('each page has its own token', async () => {
  const panel = await startPanel()
  await panel.account('alice', { password })
  const alice = await new Visitor(panel).signIn('alice')
  const tokens = async () => {
    const { body } = await alice.get('/user/settings')
    return new Set([...body.matchAll(/name="csrf_token" value="([^"]+)"/g)].map(([, token]) => token))
  }
  const [first, second] = [await tokens(), await tokens()]
  expect([first.size, second.size, new Set([...first, ...second]).size]).toEqual([1, 1, 2])
})
