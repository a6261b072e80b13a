import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { type Json, type Reply, startPanel, type TestPanel } from '../harness.ts'
import { resellerToken } from '../world.ts'
import { eventually } from './joined.ts'
import { enrolled, second } from './second.ts'

const problem = ({ status, code, body }: Reply) => [status, code, body.fields ?? body.detail]
const bob = { username: 'bob', domain: 'bob.example' }
const rowOf = (panel: TestPanel, id: string): Json =>
  panel.store.sqlite.prepare('SELECT node, mail_node, database_node, uid FROM accounts WHERE id = ?').get(id)

test('an account goes to the node with the fewest, and is provisioned only there', async () => {
  const panel = await startPanel()
  const { root } = await second(panel, { name: 'web2' })
  const alice = await panel.account('alice')
  const made = await panel.account('bob')
  expect([alice.node, made.node]).toEqual([undefined, 'web2'])
  const there = { node: 'web2', mail_node: 'web2', database_node: 'web2', uid: 20_000 }
  expect(rowOf(panel, made.id)).toEqual(there)
  expect(rowOf(panel, alice.id).uid).toBe(20_000)
  const homes = [join(panel.dir, 'host', 'home', 'bob'), join(root, 'home', 'bob'), join(root, 'home', 'alice')]
  expect(homes.map((home) => existsSync(home))).toEqual([false, true, false])
  expect((await panel.get('/accounts?node=web2')).body.items.map(({ username }: Json) => username)).toEqual(['bob'])
  const jobs = (await panel.get('/jobs?node=web2')).body.items
  expect(jobs.map(({ kind, node, status }: Json) => [kind, node, status])).toEqual([
    ['account.create', 'web2', 'succeeded'],
  ])
})

test('only root can choose a node, and one that cannot take the account is refused with the reason', async () => {
  const panel = await startPanel()
  await second(panel, { name: 'web2' })
  await second(panel, { name: 'old', state: 'draining' })
  await second(panel, { name: 'small', disk_free_mb: 10 })
  await second(panel, { name: 'names', roles: ['dns'] })
  await enrolled(panel, { name: 'new' })
  await second(panel, { name: 'spent', next_uid: 60_000 })
  const { body: plan } = await panel.post('/packages', { name: 'quota', disk_quota_mb: 100, node_labels: ['ssd'] })
  await second(panel, { name: 'ssd', labels: ['ssd'] })
  const create = (node: string, fields = {}) => panel.post('/accounts', { ...bob, node, ...fields })
  const refusals = async (fields = {}) =>
    Promise.all(
      ['web2', 'old', 'small', 'names', 'new', 'spent', 'far'].map(async (node) => (await create(node, fields)).body),
    )
  panel.forget()
  expect((await refusals({ mail_node: 'local' })).map(({ fields }) => fields)).toEqual([
    { mail_node: "must be the account's node, web2" },
    { node: 'is draining' },
    { mail_node: "must be the account's node, small" },
    { node: 'lacks the roles web and db and mail' },
    { node: 'is down' },
    { node: 'has used every user id from 20000 to 59999' },
    { node: 'is not a node' },
  ])
  expect((await create('web2', { package_id: plan.id })).body.fields).toEqual({ node: 'lacks the label ssd' })
  const { id } = await panel.account('rita', { node: 'local' })
  const token = await resellerToken(panel, id, ['create-acct'])
  expect(problem(await panel.post('/accounts', { ...bob, node: 'web2' }, { token }))).toEqual([
    400,
    'validation',
    { node: 'only root can choose a node' },
  ])
  const made = await create('ssd', { package_id: plan.id })
  expect(made.body.account.node).toBe('ssd')
})

test('says of each node why it cannot take an account if none can', async () => {
  const panel = await startPanel()
  await panel.store.change(() => void panel.store.sqlite.exec("UPDATE nodes SET state = 'draining'"))
  await second(panel, { name: 'small', disk_free_mb: 10 })
  const { body: plan } = await panel.post('/packages', { name: 'large', disk_quota_mb: 100 })
  panel.forget()
  expect(problem(await panel.post('/accounts', { ...bob, package_id: plan.id }))).toEqual([
    409,
    'limit-reached',
    'No node can take this account: local is draining; small has 10 MB free of the 100 MB that the package grants.',
  ])
  expect([panel.events(), panel.jobs()]).toEqual([[], []])
})

test("the control plane's own disk counts like others only while there are other nodes", async () => {
  const panel = await startPanel()
  const { body: plan } = await panel.post('/packages', { name: 'huge', disk_quota_mb: 90_000_000 })
  const local = async () => (await panel.get('/nodes')).body.items[0]
  const reason = async () => (await panel.get(`/nodes/placement?package_id=${plan.id}`)).body.items[0].reason
  expect([await reason(), (await local()).disk_free_mb]).toEqual([undefined, undefined])
  const { node } = (await panel.post('/nodes', { name: 'web2' })).body
  await eventually(panel, async () => (await local()).disk_free_mb !== undefined)
  const { disk_free_mb } = await local()
  const received = `has ${disk_free_mb} MB free of the 90000000 MB that the package grants`
  expect(await reason()).toBe(received)
  const account = { ...bob, package_id: plan.id }
  expect(problem(await panel.post('/accounts', account))).toEqual([
    409,
    'limit-reached',
    `No node can take this account: local ${received}; web2 is joining.`,
  ])
  expect((await panel.post('/accounts', { ...account, node: 'local' })).body.fields).toEqual({ node: received })
  await panel.delete(`/nodes/${node.id}?confirm=web2`)
  expect([await reason(), (await local()).disk_free_mb]).toEqual([undefined, undefined])
  expect((await panel.post('/accounts', account)).status).toBe(202)
})

test('free space reported after the last other node was deleted is not stored', async () => {
  const panel = await startPanel()
  let answer = (_room: number): void => {}
  const answered = new Promise<number>((resolve) => {
    answer = resolve
  })
  const requests = vi.spyOn(panel.panel.fleet.driverOf('local'), 'room').mockReturnValue(answered)
  const { node } = (await panel.post('/nodes', { name: 'web2' })).body
  await eventually(panel, () => requests.mock.calls.length > 0)
  expect((await panel.delete(`/nodes/${node.id}?confirm=web2`)).status).toBe(204)
  answer(5)
  await answered
  await panel.store.change(() => {})
  expect((await panel.get('/nodes')).body.items[0].disk_free_mb).toBeUndefined()
})

test('1,000 accounts created 50 at a time over 10 nodes are spread evenly, and full nodes get none', {
  timeout: 60_000,
}, async () => {
  const panel = await startPanel()
  for (let n = 2; n <= 10; n++) await enrolled(panel, { name: `web${n}` })
  for (let n = 2; n <= 10; n++) panel.panel.runtime.nodes.open(`web${n}`)
  await enrolled(panel, { name: 'drained', state: 'draining' })
  panel.panel.runtime.nodes.open('drained')
  await panel.panel.worker.stop()
  const create = async (n: number) => {
    const made = await panel.post('/accounts', { username: `user${n}`, domain: `user${n}.example` })
    expect(made.status).toBe(202)
  }
  for (let first = 0; first < 1000; first += 50)
    await Promise.all(Array.from({ length: 50 }, (_, n) => create(first + n)))
  const counts = panel.store.sqlite.prepare('SELECT count(*) FROM accounts GROUP BY node').pluck().all() as number[]
  expect(counts).toEqual(Array(10).fill(100))
  const stored = panel.store.sqlite.prepare('SELECT accounts FROM nodes ORDER BY id').pluck().all()
  expect(stored).toEqual([...Array(10).fill(100), 0])
})

test('user ids are limited per node, not across all nodes', async () => {
  const panel = await startPanel()
  await enrolled(panel, { name: 'web2' })
  panel.panel.runtime.nodes.open('web2')
  await panel.panel.worker.stop()
  await panel.store.change(() => void panel.store.sqlite.exec('UPDATE nodes SET next_uid = 42499'))
  const create = async (name: string) => panel.post('/accounts', { username: name, domain: `${name}.example` })
  const made = [await create('one'), await create('two'), await create('three')]
  expect(made.map(({ body: { account } }) => [account.node, account.uid])).toEqual([
    [undefined, 42_499],
    ['web2', 42_499],
    [undefined, 42_500],
  ])
})
