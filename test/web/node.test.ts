import { expect, test } from 'vitest'
import { startPanel } from '../harness.ts'
import { joined } from '../nodes/joined.ts'
import { password, Visitor } from './visitor.ts'

test('the form of a node that is down leaves it as it is', async () => {
  const panel = await startPanel()
  await panel.put('/root/password', { new_password: password })
  const { id, agent } = await joined(panel)
  agent.stop()
  await panel.clock.advance(600_000)
  const state = async () => (await panel.get(`/nodes/${id}`)).body.state
  expect(await state()).toBe('down')
  const root = await new Visitor(panel).signIn('root', 'admin')
  const form = await root.get(`/admin/nodes/${id}?do=updateNode`)
  expect(form.body).toMatch(/<option value="down" selected|value="down" checked/)
})
