import { expect, test } from 'vitest'
import { startPanel, type TestPanel } from '../harness.ts'
import { soon } from '../wait-for.ts'

async function usernames(panel: TestPanel, query: string): Promise<string[]> {
  const { status, body } = await panel.get(`/accounts?${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.items.map(({ username }: { username: string }) => username)
}

test('accounts are found by part of the username, in any case, an exact match first', async () => {
  const panel = await startPanel()
  for (const name of ['malice', 'alicebob', 'alice', 'bob']) await panel.account(name)
  expect(await usernames(panel, '')).toEqual(['malice', 'alicebob', 'alice', 'bob'])
  expect(await usernames(panel, 'q=alice')).toEqual(['alice', 'malice', 'alicebob'])
  expect(await usernames(panel, 'q=ALICE&per_page=1')).toEqual(['alice'])
  expect((await panel.get('/accounts?q=alice&per_page=1')).body.total).toBe(3)
  expect(await usernames(panel, 'q=')).toHaveLength(4)
})

test('accounts are found by part of the username, the contact address, a domain or a mailbox', async () => {
  const panel = await startPanel()
  for (const name of ['alice', 'bob']) await panel.account(name)
  const [bob] = (await panel.get('/accounts?q=bob')).body.items
  await panel.patch(`/accounts/${bob.id}`, { contact_email: 'Owner@mail.test' })
  await panel.settle()
  for (const part of ['bo', 'BOB', 'ob.', 'owner@MAIL'])
    expect([part, await usernames(panel, `search=${encodeURIComponent(part)}`)]).toEqual([part, ['bob']])
  expect(await usernames(panel, 'search=.&status=active')).toEqual(['alice', 'bob'])
  expect(await usernames(panel, 'search=alice&q=bob')).toEqual([])
  expect(await usernames(panel, 'search=%25')).toEqual([])
})

test('wildcards and quotes are taken literally', async () => {
  const panel = await startPanel()
  await panel.account('alice')
  for (const q of ['%', '_', 'a%e', 'a_ice', '\\', "'", "' OR 1=1 --", '*', '\0']) {
    const { body } = await panel.get(`/accounts?q=${encodeURIComponent(q)}`)
    expect(body, q).toEqual({ items: [], total: 0 })
  }
})

test('pages do not overlap, and values out of range are refused', async () => {
  const panel = await startPanel()
  for (const name of ['a1', 'a2', 'a3']) await panel.account(name)
  expect(await usernames(panel, 'per_page=2')).toEqual(['a1', 'a2'])
  expect(await usernames(panel, 'per_page=2&page=2')).toEqual(['a3'])
  expect(await usernames(panel, 'per_page=2&page=3')).toEqual([])
  expect(await usernames(panel, 'per_page=500&page=1000000000')).toEqual([])
  for (const [query, field] of [
    ['page=0', 'page'],
    ['page=-1', 'page'],
    ['page=1.5', 'page'],
    ['page=', 'page'],
    ['page=1e3', 'page'],
    ['page=0x10', 'page'],
    ['page=%201', 'page'],
    ['page=99999999999999999999', 'page'],
    ['per_page=0', 'per_page'],
    ['per_page=501', 'per_page'],
    ['page=1&page=2', 'page'],
    [`q=${'a'.repeat(255)}`, 'q'],
  ]) {
    const { status, code, body } = await panel.get(`/accounts?${query}`)
    expect([status, code, Object.keys(body.fields)], query).toEqual([400, 'validation', [field]])
  }
})

test('usage and status are measured by a tick, without a job or an event', async () => {
  const panel = await startPanel()
  const alice = await panel.account('alice')
  await panel.clock.advance(15 * 60_000)
  const usage = async () => (await panel.get(`/accounts/${alice.id}/usage`)).body
  await soon(async () => expect((await usage()).measured_at).toBe(panel.clock.now()))
  const body = await usage()
  expect(body.inodes.used).toBeGreaterThan(0)
  expect(body.disk_mb).not.toHaveProperty('limit')
  expect([panel.events(), panel.jobs()]).toEqual([[], []])
})

test('every part of a name finds it, whatever its length, in order of creation', async () => {
  const panel = await startPanel()
  const names = ['abcabc', 'aaaa', 'zabc', 'ab', 'zz9', 'abcdefghijklmnop']
  for (const name of names) await panel.account(name)
  const parts = new Set(names.flatMap((name) => [...name].flatMap((_, from) => ends(name.slice(from)))))
  for (const q of parts) {
    const found = names.filter((name) => name.includes(q))
    const exact = found.filter((name) => name === q)
    const { body } = await panel.get(`/accounts?q=${q}`)
    expect(
      body.items.map(({ username }: { username: string }) => username),
      q,
    ).toEqual([...exact, ...found.filter((name) => name !== q)])
    expect(body.total, q).toBe(found.length)
  }
})

const ends = (text: string): string[] => [...text].map((_, at) => text.slice(0, at + 1))

test('a search follows renames and terminations', async () => {
  const panel = await startPanel()
  const alice = await panel.account('alice')
  await panel.patch(`/accounts/${alice.id}`, { username: 'beatrix' })
  expect([await usernames(panel, 'q=lice'), await usernames(panel, 'q=trix')]).toEqual([[], ['beatrix']])
  await panel.settle()
  await panel.delete(`/accounts/${alice.id}?confirm=beatrix`)
  await panel.settle()
  expect(await usernames(panel, 'q=trix')).toEqual([])
  expect(panel.store.sqlite.prepare('SELECT count(*) FROM account_name_ends').pluck().get()).toBe(0)
})

test('a reseller finds its own accounts only, by any part of the name', async () => {
  const panel = await startPanel()
  const rita = await panel.account('rita', { make_reseller: true })
  await panel.account('ritabob', { owner_id: rita.id })
  await panel.account('other')
  await panel.put(`/resellers/${rita.id}/acl`, { acl: ['list-accts', 'create-user-session'] })
  const store = panel.store.sqlite
  const token = await panel.token(['read-only'])
  await panel.store.change(
    () => void store.prepare("UPDATE tokens SET principal_type = 'reseller', principal_id = ?").run(rita.id),
  )
  for (const [q, found] of [
    ['', ['ritabob']],
    ['t', ['ritabob']],
    ['rita', ['ritabob']],
    ['other', []],
  ] as const) {
    const { body } = await panel.get(`/accounts?q=${q}`, { token })
    expect(
      body.items.map(({ username }: { username: string }) => username),
      q,
    ).toEqual(found)
    expect(body.total, q).toBe(found.length)
  }
})

test('accounts are filtered by package, owner, quota and domain, alone and together', async () => {
  const panel = await startPanel()
  const rita = await panel.account('rita', { make_reseller: true })
  const gold = (await panel.post('/packages', { name: 'gold', disk_quota_mb: 1 })).body
  for (const name of ['alice', 'bob', 'carol'])
    await panel.account(name, { package_id: gold.id, domain: `${name}.gold.example` })
  await panel.account('ritabob', { owner_id: rita.id })
  const over = "UPDATE accounts SET disk_used_mb = 2 WHERE username IN ('bob', 'carol')"
  await panel.store.change(() => void panel.store.sqlite.prepare(over).run())
  for (const [query, found] of [
    [`package_id=${gold.id}`, ['alice', 'bob', 'carol']],
    [`owner_id=${rita.id}`, ['ritabob']],
    ['over_quota=true', ['bob', 'carol']],
    ['over_quota=false', ['rita', 'alice', 'ritabob']],
    [`over_quota=true&order=desc&per_page=1`, ['carol']],
    ['domain=GOLD', ['alice', 'bob', 'carol']],
    ['domain=ob.gold.ex', ['bob']],
    ['domain=%25', []],
    ['domain=%00', []],
    [`package_id=${gold.id}&over_quota=false`, ['alice']],
    [`q=bo&package_id=${gold.id}`, ['bob']],
    ['q=bob&over_quota=false&status=active', ['ritabob']],
    [`q=b&owner_id=${rita.id}`, ['ritabob']],
    ['sort=username&order=desc', ['ritabob', 'rita', 'carol', 'bob', 'alice']],
    ['q=rita&sort=username&order=desc', ['ritabob', 'rita']],
  ] as const) {
    expect(await usernames(panel, query), query).toEqual(found)
    const { total } = (await panel.get(`/accounts?${query}`)).body
    expect(total, query).toBe(query.includes('per_page') ? 2 : found.length)
  }
})

test('lists sort by disk space and traffic, from an index', async () => {
  const panel = await startPanel()
  const used = { alice: [30, 5], bob: [10, 5], carol: [20, 9] }
  for (const [name, [disk, traffic]] of Object.entries(used)) {
    const { id } = await panel.account(name)
    await panel.store.change(() => {
      const set = 'UPDATE accounts SET disk_used_mb = ?, bw_used_month_mb = ? WHERE id = ?'
      panel.store.sqlite.prepare(set).run(disk, traffic, id)
    })
  }
  expect(await usernames(panel, 'sort=disk_used_mb&order=desc')).toEqual(['alice', 'carol', 'bob'])
  expect(await usernames(panel, 'sort=disk_used_mb')).toEqual(['bob', 'carol', 'alice'])
  expect(await usernames(panel, 'sort=bw_used_month_mb&order=desc')).toEqual(['carol', 'bob', 'alice'])
  expect(await usernames(panel, 'sort=bw_used_month_mb&per_page=2&page=2')).toEqual(['carol'])
  const { body } = await panel.get(`/accounts?sort=disk_used_mb&after=x`)
  expect(body.fields).toEqual({ after: 'cannot be combined with sort=disk_used_mb' })
  const plan = panel.store.sqlite
    .prepare('EXPLAIN QUERY PLAN SELECT id FROM accounts ORDER BY disk_used_mb DESC, id DESC LIMIT 50')
    .all() as { detail: string }[]
  expect(plan.map(({ detail }) => detail).join()).toContain('accounts_disk_used')
})

test('the accounts behind one follow it in either order, though it is gone', async () => {
  const panel = await startPanel()
  const made = []
  for (const name of ['carol', 'alice', 'bob', 'dave']) made.push(await panel.account(name))
  const [carol, alice] = made as [{ id: string }, { id: string }]
  expect(await usernames(panel, `after=${carol.id}`)).toEqual(['alice', 'bob', 'dave'])
  expect(await usernames(panel, `after=${alice.id}&order=desc`)).toEqual(['carol'])
  expect(await usernames(panel, 'sort=username&after=alice&per_page=2')).toEqual(['bob', 'carol'])
  expect(await usernames(panel, 'sort=username&after=bobby')).toEqual(['carol', 'dave'])
  expect(await usernames(panel, 'sort=username&order=desc&after=bob')).toEqual(['alice'])
  expect(await usernames(panel, `q=a&after=${carol.id}`)).toEqual(['alice', 'dave'])
  expect((await panel.get(`/accounts?after=${carol.id}`)).body.total).toBe(4)
  for (const [query, field] of [
    [`after=${carol.id}&page=2`, 'after'],
    ['sort=id', 'sort'],
    ['over_quota=yes', 'over_quota'],
    ['package_id=gold', 'package_id'],
    ['owner_id=../x', 'owner_id'],
  ]) {
    const { status, code, body } = await panel.get(`/accounts?${query}`)
    expect([status, code, Object.keys(body.fields)], query).toEqual([400, 'validation', [field]])
  }
})
