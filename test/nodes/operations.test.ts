import { expect, test } from 'vitest'
import { type Json, type Reply, startPanel, type TestPanel } from '../harness.ts'
import { enrolled, lose, second } from './second.ts'

const problem = ({ status, code, body }: Reply) => [status, code, body.detail]
const names = async (panel: TestPanel): Promise<Json[]> => (await panel.get('/nodes')).body.items
const idOf = async (panel: TestPanel, name: string): Promise<string> =>
  (await names(panel)).find((node) => node.name === name).id

test('without a second node there is only local, which is active and cannot be deleted', async () => {
  const panel = await startPanel()
  await panel.account('alice')
  const { items, total } = (await panel.get('/nodes')).body
  expect(total).toBe(1)
  const [local] = items
  expect(local).toMatchObject({ name: 'local', roles: ['web', 'db', 'mail', 'dns'], state: 'active', accounts: 1 })
  expect(await panel.get(`/nodes/${local.id}`)).toMatchObject({ status: 200, body: { name: 'local' } })
  for (const confirm of ['', '?confirm=local'])
    expect(problem(await panel.delete(`/nodes/${local.id}${confirm}`))).toEqual([
      409,
      'in-use',
      'The control plane runs on this node.',
    ])
  expect((await panel.delete(`/nodes/${local.id}?confirm=web2`)).body.fields).toEqual({
    confirm: "must be the node's name",
  })
  expect((await panel.patch(`/nodes/${local.id}`, { roles: ['dns-secondary'] })).body.fields).toEqual({
    roles: expect.stringContaining('give it the role dns'),
  })
  expect((await panel.patch(`/nodes/${local.id}`, { state: 'retired' })).code).toBe('in-use')
  expect((await panel.get('/nodes/targets')).body).toEqual([])
  expect((await panel.get('/nodes/placement')).body).toEqual({
    node: 'local',
    items: [{ node: 'local', accounts: 1, chosen: true }],
  })
  expect((await panel.get(`/nodes/${local.id}/orphans`)).body).toEqual({ items: [] })
  await panel.restart()
  expect(await names(panel)).toMatchObject([{ id: local.id, name: 'local' }])
  expect([panel.events(), panel.jobs()]).toEqual([[], []])
})

test('a node is drained, activated and updated, and says why it is down', async () => {
  const panel = await startPanel()
  await second(panel, { name: 'web2', addresses: ['192.0.2.12', '2001:db8::12'] })
  const id = await idOf(panel, 'web2')
  expect((await panel.post(`/nodes/${id}/drain`)).body).toMatchObject({ state: 'draining' })
  expect((await panel.get('/nodes/placement')).body).toEqual({
    node: 'local',
    items: [
      { node: 'local', accounts: 0, chosen: true },
      { node: 'web2', accounts: 0, reason: 'is draining' },
    ],
  })
  expect((await panel.post(`/nodes/${id}/activate`)).body).toMatchObject({ state: 'active' })
  const changed = await panel.patch(`/nodes/${id}`, { roles: ['web', 'db', 'mail', 'dns'], labels: ['ssd'] })
  expect(changed.body).toMatchObject({ roles: ['web', 'db', 'mail', 'dns'], labels: ['ssd'] })
  expect((await panel.patch(`/nodes/${id}`, { labels: ['A b'] })).code).toBe('validation')
  expect((await panel.get('/nodes/targets?port=9200')).body).toEqual([
    { targets: ['192.0.2.12:9200'], labels: { node: 'web2', roles: 'web,db,mail,dns' } },
  ])
  lose(panel, 'web2')
  const reason = 'Node web2 is down: it has not answered for 6 seconds.'
  expect((await panel.get(`/nodes/${id}`)).body).toMatchObject({ state: 'down', reason })
  expect(problem(await panel.get(`/nodes/${id}/orphans`))).toEqual([503, 'overloaded', reason])
  await panel.account('alice')
  expect((await panel.get('/nodes')).body.items.map(({ accounts }: Json) => accounts)).toEqual([1, 0])
  expect([panel.events(), panel.jobs()]).toEqual([[], []])
})

test('a node with accounts keeps what they need, and can be deleted only without them', async () => {
  const panel = await startPanel()
  await second(panel, { name: 'web2' })
  const id = await idOf(panel, 'web2')
  const bob = await panel.account('bob', { node: 'web2' })
  expect(bob).toMatchObject({ node: 'web2', mail_node: 'web2', database_node: 'web2' })
  expect(problem(await panel.delete(`/nodes/${id}?confirm=web2`))).toEqual([
    409,
    'in-use',
    '1 account is on web2; terminate it first. If its machine is lost for good: panel nodes update web2 --state retired --lost',
  ])
  expect(problem(await panel.patch(`/nodes/${id}`, { roles: ['web', 'mail'] }))).toEqual([
    409,
    'in-use',
    '1 account is on web2: its role db is needed.',
  ])
  expect((await panel.patch(`/nodes/${id}`, { state: 'retired' })).code).toBe('in-use')
  await panel.delete(`/accounts/${bob.id}?confirm=bob&final_backup=false`)
  await panel.settle()
  expect((await panel.get(`/nodes/${id}`)).body.accounts).toBe(0)
  panel.forget()
  expect((await panel.delete(`/nodes/${id}?confirm=web2`)).status).toBe(204)
  expect((await names(panel)).map(({ name }) => name)).toEqual(['local'])
  expect((await panel.post('/accounts', { username: 'eve', domain: 'eve.example', node: 'web2' })).body.fields).toEqual(
    {
      node: 'is not a node',
    },
  )
  expect([panel.events(), panel.jobs()]).toEqual([[], []])
})

test('accounts on a node that the store does not know are listed, and left alone', async () => {
  const panel = await startPanel()
  const { root } = await second(panel, { name: 'web2' })
  const bob = await panel.account('bob', { node: 'web2' })
  await panel.store.change(() => void panel.store.sqlite.prepare('DELETE FROM accounts WHERE id = ?').run(bob.id))
  const orphans = await panel.get(`/nodes/${await idOf(panel, 'web2')}/orphans`)
  expect(orphans.body).toEqual({ items: [{ id: bob.id, username: 'bob' }] })
  expect(root).toBeTruthy()
})

test('metrics name nodes but no accounts, and no nodes without a second one', async () => {
  const panel = await startPanel()
  expect((await panel.send('GET', 'https://host.example:7711/metrics')).body).not.toContain('panel_node_')
  await enrolled(panel, { name: 'web2', accounts: 3, last_seen_at: panel.clock.now() - 5_000 })
  await enrolled(panel, { name: 'gone', state: 'retired', addresses: ['192.0.2.13'] })
  expect((await panel.get('/nodes/targets')).body).toEqual([])
  panel.panel.runtime.nodes.close('web2', 'It is down.')
  const text = (await panel.send('GET', 'https://host.example:7711/metrics')).body as string
  const lines = text.split('\n').filter((line) => line.startsWith('panel_node_'))
  expect(lines).toEqual([
    'panel_node_up{node="local"} 1',
    'panel_node_up{node="web2"} 0',
    'panel_node_last_seen_seconds{node="local"} 0',
    'panel_node_last_seen_seconds{node="web2"} 5',
    'panel_node_accounts{node="local"} 0',
    'panel_node_accounts{node="web2"} 3',
    'panel_node_jobs_waiting{node="local"} 0',
    'panel_node_jobs_waiting{node="web2"} 0',
    'panel_node_oldest_job_seconds{node="local"} 0',
    'panel_node_oldest_job_seconds{node="web2"} 0',
  ])
})

test('addresses are IP addresses or host names, and duplicates are dropped', async () => {
  const panel = await startPanel()
  await second(panel, { name: 'web2' })
  const id = await idOf(panel, 'web2')
  for (const wrong of ['foo bar', 'http://x/', '999.1.1.1', 'a:b:c', 'Web2.example']) {
    const refused = await panel.patch(`/nodes/${id}`, { addresses: ['192.0.2.12', wrong] })
    expect([refused.status, refused.body.fields]).toEqual([
      400,
      { addresses: `${wrong} must be an IP address or a lower-case host name, such as 192.0.2.12` },
    ])
  }
  const twice = { roles: ['web', 'web'], labels: ['ssd', 'ssd'] }
  const addresses = ['web2', '2001:db8::12', 'n1.example', 'web2']
  expect((await panel.patch(`/nodes/${id}`, { ...twice, addresses })).body).toMatchObject({
    ...{ roles: ['web'], labels: ['ssd'] },
    addresses: ['web2', '2001:db8::12', 'n1.example'],
  })
  const { body } = await panel.post('/nodes', { name: 'web3', ...twice })
  expect(body.node).toMatchObject({ roles: ['web'], labels: ['ssd'] })
  await panel.patch(`/nodes/${body.node.id}`, { addresses: ['192.0.2.13'] })
  expect((await panel.get('/nodes/targets')).body).toEqual([
    { targets: ['web2:9100'], labels: { node: 'web2', roles: 'web' } },
  ])
})

test('a draining node that is down reports both, and lists that need an unknown node are refused', async () => {
  const panel = await startPanel()
  await second(panel, { name: 'web2' })
  const id = await idOf(panel, 'web2')
  await panel.post(`/nodes/${id}/drain`)
  lose(panel, 'web2')
  expect((await panel.get(`/nodes/${id}`)).body).toMatchObject({ state: 'down', draining: true })
  expect((await panel.post(`/nodes/${id}/activate`)).body.draining).toBeUndefined()
  for (const list of ['/accounts', '/jobs']) {
    expect((await panel.get(`${list}?node=nope`)).body.fields).toEqual({ node: 'is not a node' })
    expect((await panel.get(`${list}?node=web2`)).body.items).toEqual([])
  }
})

test('a node that has not joined yet has no state to change', async () => {
  const panel = await startPanel()
  await panel.post('/nodes', { name: 'web2', roles: ['web', 'db', 'mail'] })
  const id = await idOf(panel, 'web2')
  panel.forget()
  const refused = [409, 'incomplete', 'web2 has not joined yet.']
  expect(problem(await panel.post(`/nodes/${id}/drain`))).toEqual(refused)
  expect(problem(await panel.post(`/nodes/${id}/activate`))).toEqual(refused)
  expect(problem(await panel.patch(`/nodes/${id}`, { state: 'draining' }))).toEqual(refused)
  expect([panel.events(), panel.jobs()]).toEqual([[], []])
})
