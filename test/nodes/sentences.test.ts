import { expect, test } from 'vitest'
import { FakeClock } from '../clock.ts'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { dial } from '../host/fleet/world.ts'
import { eventually, joined } from './joined.ts'

const nodeOf = async (panel: TestPanel, id: string): Promise<Json> => (await panel.get(`/nodes/${id}`)).body

/** A node whose agent was stopped, with a waiting job. */
async function stopped() {
  const panel = await startPanel()
  const { id, root, agent } = await joined(panel)
  const bob = await panel.account('bob', { node: 'web2' })
  await agent.stop()
  await eventually(panel, async () => (await nodeOf(panel, id)).state === 'down')
  const { job_id } = (await panel.patch(`/accounts/${bob.id}`, { contact_email: 'bob@new.example' })).body
  const waitsFor = async () => (await panel.get(`/jobs/${job_id}`)).body.job.waiting_for
  return { panel, id, root, waitsFor }
}

test('a node that is down says why, and so does a job waiting for it', async () => {
  const { panel, id, waitsFor } = await stopped()
  const reason = 'Node web2 is down: the connection was lost.'
  expect(await nodeOf(panel, id)).toMatchObject({ state: 'down', reason })
  expect(await waitsFor()).toBe(reason)
})

test('a node with a newer program is incompatible and says which one to update, on both sides', async () => {
  const { panel, id, root, waitsFor } = await stopped()
  const agent = await dial({ root, clock: panel.clock, protocol: { min: 8, max: 9 } })
  await eventually(panel, async () => (await nodeOf(panel, id)).state === 'incompatible')
  await eventually(panel, () => agent.output.length > 0)
  const { reason } = await nodeOf(panel, id)
  expect(reason).toMatch(/^The panel \S+ speaks version 1 of the host protocol and node web2 .*: update the panel\.$/)
  expect([await waitsFor(), agent.output]).toEqual([reason, [reason]])
  expect((await panel.get('/nodes/placement')).body.items[1].reason).toBe('is incompatible')
  const tries = () => panel.logged.filter((line) => line.includes('a node was refused')).length
  const written = () => panel.store.sqlite.prepare('SELECT total_changes()').pluck().get()
  const [tried, before] = [tries(), written()]
  await eventually(panel, () => tries() >= tried + 2)
  expect(written()).toBe(before)
  const drained = { state: 'incompatible', reason, draining: true }
  expect((await panel.post(`/nodes/${id}/drain`)).body).toMatchObject(drained)
  expect((await panel.get('/nodes/placement')).body.items[1].reason).toBe('is draining')
  const revoked = {
    state: 'down',
    reason: 'Node web2 is down: its certificate was revoked. Let it join again: panel nodes renew-join web2',
  }
  expect((await panel.post(`/nodes/${id}/revoke`)).body).toMatchObject(revoked)
})

test('a node whose clock is off is refused and says by how much, on both sides', async () => {
  const { panel, id, root, waitsFor } = await stopped()
  const clock = new FakeClock(panel.clock.now() + 7 * 60_000)
  const agent = await dial({ root, clock })
  const reason =
    "The clock of node web2 is 7 minutes ahead of the panel's: set it, for example with `timedatectl set-ntp true`."
  await eventually(panel, () => agent.output.length > 0, 0)
  await eventually(panel, async () => (await nodeOf(panel, id)).reason === reason, 0)
  expect([(await nodeOf(panel, id)).state, await waitsFor(), agent.output]).toEqual(['down', reason, [reason]])
})
