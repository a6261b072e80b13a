import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { enrolled, find, lose, second } from './second.ts'

const down = 'Node web2 is down: it has not answered for 6 seconds.'

async function twoNodes(panel?: TestPanel) {
  const started = panel ?? (await startPanel())
  const web2 = await second(started, { name: 'web2' })
  const alice = await started.account('alice', { node: 'local' })
  const bob = await started.account('bob', { node: 'web2' })
  started.forget()
  return { panel: started, alice, bob, ...web2 }
}

test("a node's host is shown by name; without a name, all nodes are listed with their reasons", async () => {
  const { panel } = await twoNodes()
  const all = await panel.get('/host')
  expect([all.body.node, all.body.counts.accounts]).toEqual([undefined, 1])
  expect(all.body.nodes).toEqual([{ node: 'web2', status: 'running', accounts: 1 }])
  const { body } = await panel.get('/host?node=web2')
  expect(body).toMatchObject({ node: 'web2', agent: { status: 'running' }, counts: { accounts: 1, suspended: 0 } })
  expect(body.nodes).toBeUndefined()
  lose(panel, 'web2')
  expect((await panel.get('/host')).body.nodes).toEqual([
    { node: 'web2', status: 'unreachable', reason: down, accounts: 1 },
  ])
  expect((await panel.get('/host?node=web2')).body.agent).toEqual({ status: 'unreachable', reason: down })
  expect((await panel.get('/host?node=nope')).body.fields).toEqual({ node: 'is not a node' })
})

test('a single node is compared and synced by name', async () => {
  const { panel, alice, root } = await twoNodes()
  rmSync(join(root, 'home/bob'), { recursive: true })
  rmSync(join(panel.dir, 'host/home/alice'), { recursive: true })
  const differing = async (query: string) =>
    new Set(
      (await panel.get(`/host/diff${query}`)).body.differences.map(({ node, username }: Json) =>
        [node, username].join(),
      ),
    )
  expect(await differing('')).toEqual(new Set([',alice', 'web2,bob']))
  expect(await differing('?node=web2')).toEqual(new Set(['web2,bob']))
  expect(await differing('?node=local')).toEqual(new Set([',alice']))
  for (const requests of [
    await panel.get(`/host/diff?node=web2&account_id=${alice.id}`),
    await panel.post('/host/apply', { node: 'web2', account_id: alice.id }),
  ])
    expect(requests.body.fields).toEqual({ node: 'cannot be combined with account_id' })
  const { status, body } = await panel.post('/host/apply', { node: 'web2' })
  expect([status, Object.keys(body)]).toEqual([202, ['job_id']])
  await panel.settle()
  expect(panel.jobs()).toEqual(['host.apply succeeded'])
  expect(await differing('')).toEqual(new Set([',alice']))
})

test('syncing all returns a job per node, and why one waits', async () => {
  const { panel, host } = await twoNodes()
  await second(panel, { name: 'web3' })
  await enrolled(panel, { name: 'new', state: 'joining' })
  lose(panel, 'web2')
  const { body } = await panel.post('/host/apply', {})
  const jobs = (await panel.get('/jobs?kind=host.apply')).body.items
  const idOf = (on?: string) => jobs.find(({ node }: Json) => node === on).id
  expect(body).toEqual({
    job_id: idOf(),
    nodes: [
      { node: 'web2', job_id: idOf('web2'), waiting_for: down },
      { node: 'web3', job_id: idOf('web3') },
    ],
  })
  await panel.settle()
  expect(panel.jobs().sort()).toEqual([
    'dns.served.apply succeeded',
    'host.apply queued',
    'host.apply succeeded',
    'host.apply succeeded',
  ])
  find(panel, 'web2', host)
  await panel.settle()
  expect((await panel.get(`/jobs/${idOf('web2')}`)).body.job.status).toBe('succeeded')
  for (const node of ['new', 'nope']) {
    const refused = await panel.post('/host/apply', { node })
    expect(refused.body.fields).toEqual({ node: node === 'new' ? 'has not joined yet' : 'is not a node' })
  }
})

test('without a second node, nodes are not mentioned', async () => {
  const panel = await startPanel()
  await panel.account('alice')
  expect(Object.keys((await panel.get('/host')).body)).not.toContain('nodes')
  expect(Object.keys((await panel.post('/host/apply', {})).body)).toEqual(['job_id'])
  await panel.settle()
})
