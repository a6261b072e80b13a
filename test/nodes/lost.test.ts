import { expect, test } from 'vitest'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { eventually, joinBy, joined } from './joined.ts'
import { lose, second } from './second.ts'

const nodeOf = async (panel: TestPanel, name: string): Promise<Json> =>
  (await panel.get(`/nodes?q=${name}`)).body.items.find((node: Json) => node.name === name)

const input = 'Node web2 was given up: its accounts can only be terminated.'

/** A node that is down, with an account and a job that waits for it. */
async function lost() {
  const panel = await startPanel()
  await second(panel, { name: 'web2', labels: ['ssd'], fingerprint: 'f', certificate_expires_at: 2e13 })
  const bob = await panel.account('bob', { node: 'web2' })
  const { id } = await nodeOf(panel, 'web2')
  lose(panel, 'web2')
  const waiting = await panel.patch(`/accounts/${bob.id}`, { contact_email: 'bob@new.example' })
  await panel.settle()
  expect((await panel.get(`/jobs/${waiting.body.job_id}`)).body.job.waiting_for).toContain('Node web2 is down')
  panel.forget()
  const jobId: string = waiting.body.job_id
  return { panel, id, bob, jobId, giveUp: () => panel.patch(`/nodes/${id}`, { state: 'retired', lost: true }) }
}

test('accounts of a node declared lost are terminated without it, and their waiting jobs cancelled', async () => {
  const { panel, id, bob, jobId, giveUp } = await lost()
  const ending = await panel.delete(`/accounts/${bob.id}?confirm=bob`)
  await panel.settle()
  expect([panel.events(), panel.jobs()]).toEqual([['account.terminated'], ['account.terminate queued']])
  expect((await panel.get(`/accounts/${bob.id}`)).body.status).toBe('terminating')

  const reply = await giveUp()
  expect(reply.body).toMatchObject({ name: 'web2', state: 'retired', accounts: 1, reason: input })
  expect(reply.body.certificate_expires_at).toBeUndefined()
  await panel.settle()
  // The account's zone is on the control plane's own host, which removes it.
  expect([panel.events(), panel.jobs()]).toEqual([['job.completed', 'job.completed'], ['dns.served.apply succeeded']])
  expect((await panel.get(`/accounts/${bob.id}`)).status).toBe(404)
  expect((await panel.get(`/jobs/${jobId}`)).body.job.status).toBe('cancelled')
  const { job, log } = (await panel.get(`/jobs/${ending.body.job_id}`)).body
  expect(job.status).toBe('succeeded')
  expect(JSON.stringify(log ?? (await panel.get(`/jobs/${ending.body.job_id}/log`)).body)).toContain(
    'Node web2 was given up: nothing of bob was saved or removed there.',
  )
  const { items } = (await panel.get('/audit?operation=updateNode')).body
  expect(items).toMatchObject([
    { object_id: id, before: { state: 'active' }, after: { state: 'retired', lost: true, accounts: 1 } },
  ])
  expect((await panel.delete(`/nodes/${id}?confirm=web2`)).status).toBe(204)
  expect((await panel.post('/accounts', { username: 'bob', domain: 'bob.example' })).status).toBe(202)
})

test('requests to a lost node fail with the reason, even after a restart, and it gets no new accounts', async () => {
  const { panel, id, bob, giveUp } = await lost()
  await giveUp()
  await panel.settle()
  expect(panel.events()).toEqual(['job.failed'])
  panel.forget()
  await panel.restart()
  const { body } = await panel.patch(`/accounts/${bob.id}`, { contact_email: 'bob@other.example' })
  await panel.settle()
  expect((await panel.get(`/jobs/${body.job_id}`)).body.job).toMatchObject({
    ...{ status: 'failed', attempts: 1, error: input, node: 'web2' },
  })
  expect(panel.events()).toEqual(['job.failed'])
  for (const path of [`/accounts/${bob.id}/files?path=/`, `/nodes/${id}/orphans`])
    expect(await panel.get(path)).toMatchObject({
      status: 409,
      code: 'given-up',
      body: { title: 'The node was given up', detail: input },
    })
  expect((await panel.get('/nodes/placement')).body.items[1]).toEqual({
    ...{ node: 'web2', accounts: 1, reason: 'is retired' },
  })
  expect((await panel.post('/accounts', { username: 'eve', domain: 'eve.example', node: 'web2' })).body.fields).toEqual(
    {
      node: 'is retired',
    },
  )
  expect(panel.logged.join('\n')).not.toContain('could not be undone')
})

test('an account that was never provisioned on a lost node is removed when its creation fails', async () => {
  const { panel, giveUp } = await lost()
  panel.panel.runtime.nodes.open('web2')
  const made = await panel.post('/accounts', { username: 'eve', domain: 'eve.example', node: 'web2' })
  panel.panel.runtime.nodes.close('web2', 'Node web2 is down: it has not answered for 6 seconds.')
  await giveUp()
  await panel.settle()
  expect((await panel.get(`/jobs/${made.body.job_id}`)).body.job).toMatchObject({ status: 'failed', error: input })
  expect((await panel.get('/accounts?q=eve')).body.total).toBe(0)
  expect(panel.logged.join('\n')).not.toContain('could not be undone')
})

test('only a node that is down can be declared lost, and not by accident', async () => {
  const { panel, id } = await lost()
  const detail = async (body: object) => (await panel.patch(`/nodes/${id}`, body)).body.detail
  expect(await detail({ lost: true })).toBe('lost: can only be set together with state retired')
  expect(await detail({ state: 'retired' })).toBe(
    '1 account is on web2; drain it, and retire it once it has none. If its machine is lost for good: panel nodes update web2 --state retired --lost',
  )
  panel.panel.runtime.nodes.open('web2')
  expect(await detail({ state: 'retired', lost: true })).toBe(
    'web2 answers, so it is not lost. To shut it out anyway: panel nodes revoke web2',
  )
  expect((await nodeOf(panel, 'local')).state).toBe('active')
  const local = await panel.patch(`/nodes/${(await nodeOf(panel, 'local')).id}`, { state: 'retired', lost: true })
  expect([local.code, (await nodeOf(panel, 'web2')).state]).toEqual(['in-use', 'active'])
})

test('a node can be declared lost only after it had a minute to connect since the server started', async () => {
  const { panel, id, giveUp } = await lost()
  await panel.restart()
  await panel.clock.advance(9_500)
  expect(await giveUp()).toMatchObject({
    code: 'in-use',
    body: { detail: 'The server has just started, and web2 may not have connected yet. Try again in 51 s.' },
  })
  expect((await nodeOf(panel, 'web2')).reason).toBe('Node web2 has not connected since the server started.')
  await panel.clock.advance(50_500)
  expect((await giveUp()).body).toMatchObject({ id, state: 'retired', reason: input })
  await panel.settle()
  expect(panel.events()).toEqual(['job.failed'])
})

test('a retired node is disconnected and no longer reported, and joins again once restored', async () => {
  const panel = await startPanel()
  const { id, agent } = await joined(panel)
  panel.forget()
  expect((await panel.patch(`/nodes/${id}`, { state: 'retired' })).body).toMatchObject({ state: 'retired' })
  await eventually(panel, () => agent.output.at(-1) === 'The certificate of node web2 was revoked.')
  await panel.clock.advance(120_000)
  const again = () => panel.post(`/nodes/${id}/renew-join`, {})
  expect((await again()).body.detail).toBe(
    'web2 is retired. To take it back before it joins again: panel nodes activate web2',
  )
  expect((await panel.post(`/nodes/${id}/activate`)).body).toMatchObject({ state: 'down' })
  expect(panel.events()).toEqual([])
  await joinBy(panel, (await again()).body.join_line)
  await eventually(panel, async () => (await nodeOf(panel, 'web2')).state === 'active')
  expect(panel.events()).toEqual(['node.joined'])
})
