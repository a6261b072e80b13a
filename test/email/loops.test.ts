import { expect, test } from 'vitest'
import { cyclesIn } from '../../src/areas/email/loops/cycles.ts'
import { runToEnd } from '../../src/runtime/operations/slices.ts'
import { type Json, startPanel } from '../harness.ts'
import { noticesOf } from '../notices/fixtures.ts'
import { resellerToken } from '../world.ts'
import { accepted, mailOf, nothing, occurred } from './fixtures.ts'

/** Accounts by these names, each with its mail. */
async function withAccounts(...names: readonly string[]) {
  const panel = await startPanel()
  const accounts: Json = {}
  for (const name of names) {
    const account = await panel.account(name)
    accounts[name] = { ...account, ...mailOf(panel, account.id) }
  }
  const loops = async (account?: string): Promise<Json[]> =>
    (await noticesOf(panel, account)).filter(({ kind }) => kind === 'mail-loop')
  const addresses = async (): Promise<string[]> => (await loops()).map(({ detail }) => detail.split(' ')[2]).sort()
  return { panel, accounts, loops, addresses }
}

const notice = (account: Json, forwarder: Json, next: string, since: number) => ({
  kind: 'mail-loop',
  severity: 'warn',
  object: 'forwarder',
  object_id: forwarder.id,
  name: forwarder.address,
  detail: `Mail for ${forwarder.address} loops: it is forwarded to ${next}, which leads back to it.`,
  since,
  operation: 'updateForwarder',
  command: `panel email forwarders show ${forwarder.address} -a ${account.username}`,
  mend: `panel email forwarders update ${forwarder.address} -a ${account.username}`,
  account_id: account.id,
  username: account.username,
})

test('two accounts whose forwarders lead to each other each get a notice of their own part, until the loop is gone', async () => {
  const { panel, loops } = await withAccounts()
  const rita = await panel.account('rita', { make_reseller: true })
  const token = await resellerToken(panel, rita.id, ['list-accts', 'create-acct'])
  const alice = await panel.account('alice')
  const created = accepted(await panel.post('/accounts', { username: 'bob', domain: 'bob.example' }, { token }))
  await panel.verify(created.account.id)
  await panel.settle()
  const bob = (await panel.get(`/accounts/${created.account.id}`)).body
  const a = await mailOf(panel, alice.id).forwarder('a@alice.example', ['B+tag@bob.example', 'x@ext.example'])
  expect(await loops()).toEqual([])
  accepted(await mailOf(panel, bob.id).forward('b@bob.example', ['a@alice.example']))
  expect(await occurred(panel)).toEqual({
    events: ['email.forwarder.created', 'job.completed'],
    jobs: ['email.forwarder.create succeeded'],
  })
  const [b] = (await panel.get(`/accounts/${bob.id}/email/forwarders`)).body.items
  const since = panel.clock.now()
  const [hers, his] = [notice(alice, a, 'b@bob.example', since), notice(bob, b, 'a@alice.example', since)]
  expect(await loops(alice.id)).toEqual([hers])
  expect(await loops(bob.id)).toEqual([his])
  expect(await loops()).toHaveLength(2)
  expect(await loops()).toEqual(expect.arrayContaining([hers, his]))
  const resellers = (await panel.get('/notices?kind=mail-loop', { token })).body.items
  expect(resellers).toEqual([his])
  await panel.clock.advance(60_000)
  expect((await panel.patch(`/accounts/${bob.id}/email/forwarders/${b.id}`, { keep_copy: false })).status).toBe(202)
  await panel.settle()
  expect(await loops(bob.id)).toEqual([his])
  await panel.patch(a.path, { destinations: ['x@ext.example'] })
  await panel.settle()
  expect(await loops()).toEqual([])
})

test('a loop of three, with a catch-all, is found; what leads into it is not on it', async () => {
  const { panel, accounts, loops, addresses } = await withAccounts('alice', 'bob', 'carol')
  const { alice, bob, carol } = accounts
  await alice.forwarder('a@alice.example', ['any@bob.example'])
  await alice.forwarder('in@alice.example', ['a@alice.example'])
  await bob.forwarder('b@bob.example', ['c@carol.example'])
  const c = await carol.forwarder('c@carol.example', ['a@alice.example'])
  expect(await loops()).toEqual([])
  const [main] = (await panel.get(`${bob.path}/domains`)).body.items
  const catchAll = `${bob.path}/domains/${main.id}/catch-all`
  accepted(await panel.put(catchAll, { action: 'forward', destination: 'b@bob.example' }))
  await panel.settle()
  expect(await addresses()).toEqual(['a@alice.example', 'any@bob.example', 'b@bob.example', 'c@carol.example'])
  expect(await loops(bob.id)).toContainEqual({
    kind: 'mail-loop',
    severity: 'warn',
    object: 'domain',
    object_id: main.id,
    name: 'bob.example',
    detail: 'Mail for any@bob.example loops: the catch-all b@bob.example leads back to it.',
    since: panel.clock.now(),
    operation: 'setCatchAll',
    command: 'panel domains show bob.example -a bob',
    mend: 'panel email domains set-catch-all bob.example -a bob',
    account_id: bob.id,
    username: 'bob',
  })
  expect(JSON.stringify(await loops(alice.id))).not.toMatch(/b@bob|carol/)
  await bob.mailbox('any@bob.example')
  expect(await loops()).toEqual([])
  await panel.delete(
    (await panel.get(`${bob.path}/accounts`)).body.items.map(({ id }: Json) => `${bob.path}/accounts/${id}`)[0],
  )
  await panel.settle()
  expect(await addresses()).toHaveLength(4)
  await panel.delete(c.path)
  await panel.settle()
  expect(await loops()).toEqual([])
})

test('a mailbox that keeps a copy ends a loop, and so does one that takes no mail, or a domain elsewhere', async () => {
  const { panel, accounts, loops, addresses } = await withAccounts('alice', 'bob')
  const { alice, bob } = accounts
  const box = await alice.mailbox('a@alice.example')
  const a = await alice.forwarder('a@alice.example', ['b@bob.example'])
  await bob.forwarder('b@bob.example', ['a@alice.example'])
  expect(await loops()).toEqual([])
  await panel.patch(a.path, { keep_copy: false })
  await panel.settle()
  expect(await addresses()).toEqual(['a@alice.example', 'b@bob.example'])
  await panel.post(`${box.path}/suspend`, { incoming: true })
  await panel.settle()
  expect(await loops()).toEqual([])
  await panel.post(`${box.path}/unsuspend`)
  await panel.settle()
  expect(await addresses()).toHaveLength(2)
  const [main] = (await panel.get(`${bob.path}/domains`)).body.items
  accepted(await panel.put(`${bob.path}/domains/${main.id}/routing`, { routing: 'remote' }))
  await panel.settle()
  expect(await loops()).toEqual([])
})

test('filters and contact addresses can make a loop, also within an account', async () => {
  const { panel, accounts, loops } = await withAccounts('alice', 'bob')
  const { alice, bob } = accounts
  const box = await alice.mailbox('a@alice.example')
  await bob.mailbox('b@bob.example')
  await bob.forwarder('b@bob.example', ['a@alice.example'])
  const when = [{ field: 'subject', test: 'contains', value: 'x' }]
  const items = [{ name: 'On', when, then: [{ action: 'forward', address: 'B@bob.example' }] }]
  accepted(await panel.put(`${box.path}/filters`, { items }))
  await panel.settle()
  expect(await loops(alice.id)).toMatchObject([
    {
      object: 'mailbox',
      object_id: box.id,
      name: 'a@alice.example',
      detail: 'Mail for a@alice.example may loop: a filter forwards it to b@bob.example, which leads back to it.',
      operation: 'setMailFilters',
    },
  ])
  expect(await loops(bob.id)).toHaveLength(1)
  accepted(await panel.put(`${box.path}/filters`, { items: [] }))
  await panel.settle()
  expect(await loops()).toEqual([])
  await panel.patch(`/accounts/${alice.id}`, { contact_email: 'postmaster@bob.example' })
  await panel.patch(`/accounts/${bob.id}`, { contact_email: 'abuse@alice.example' })
  await panel.settle()
  expect((await loops()).map(({ name, detail }) => [name, detail]).sort()).toEqual([
    [
      'alice.example',
      'Mail for abuse@alice.example loops: the contact address postmaster@bob.example leads back to it.',
    ],
    ['bob.example', 'Mail for postmaster@bob.example loops: the contact address abuse@alice.example leads back to it.'],
  ])
})

test('a notice is dismissed until the loop comes back, and goes with its account', async () => {
  const { panel, accounts, loops } = await withAccounts('alice', 'bob')
  const { alice, bob } = accounts
  const a = await alice.forwarder('a@alice.example', ['b@bob.example'])
  await bob.forwarder('b@bob.example', ['a@alice.example'])
  await panel.post(`/accounts/${alice.id}/notices/dismiss`, { kind: 'mail-loop', object_id: a.id })
  expect(await occurred(panel)).toEqual(nothing)
  expect([await loops(alice.id), (await loops(bob.id)).length]).toEqual([[], 1])
  await panel.restart()
  expect([await loops(alice.id), (await loops(bob.id)).length]).toEqual([[], 1])
  await panel.patch(a.path, { destinations: ['x@ext.example'] })
  await panel.settle()
  await panel.clock.advance(1000)
  await panel.patch(a.path, { destinations: ['b@bob.example'] })
  await panel.settle()
  expect(await loops(alice.id)).toHaveLength(1)
  await panel.delete(`/accounts/${bob.id}?confirm=bob`)
  await panel.settle()
  await panel.clock.advance(60_000)
  expect(await loops()).toEqual([])
})

test('a chain of 100,000 addresses is followed without recursion', () => {
  const last = 100_000
  const next = (node: string) => (Number(node) < last ? [String(Number(node) + 1), '7'] : ['99990'])
  const [cycle, ...more] = runToEnd(cyclesIn(['0'], next))
  expect([cycle!.length, more]).toEqual([last - 6, []])
})
