import { expect, test } from 'vitest'
import { Lanes } from '../../src/areas/webhooks/lanes.ts'
import { startPanel } from '../harness.ts'
import { webhook } from './helpers.ts'

test('deliveries count towards the share of the customer, or of the reseller with all its customers', async () => {
  const panel = await startPanel()
  const rita = await panel.account('rita')
  await panel.post('/resellers', { account_id: rita.id })
  const [ann, bob, cat] = [await panel.account('ann'), await panel.account('bob'), await panel.account('cat')]
  await panel.store.change(() => {
    panel.store.sqlite.prepare('UPDATE accounts SET owner_id = ? WHERE id IN (?, ?)').run(rita.id, ann.id, bob.id)
  })
  const owners: string[] = []
  panel.panel.runtime.signals.on('delivery', (_webhook, owner) => owners.push(owner))
  for (const { id } of [rita, ann, bob, cat]) {
    const hook = await webhook(panel, { url: 'https://hooks.example/in', events: ['email.*'] }, id)
    expect((await panel.post(`/accounts/${id}/webhooks/${hook.id}/test`)).status).toBe(202)
  }
  const hook = await webhook(panel, { url: 'https://hooks.example/in', events: ['email.*'] })
  expect((await panel.post(`/webhooks/${hook.id}/test`)).status).toBe(202)
  expect(owners).toEqual([rita.id, rita.id, rita.id, cat.id, 'server'])
})

test('an owner with many webhooks has at most 16 of the 64 slots', () => {
  const lanes = new Lanes()
  for (let n = 0; n < 50; n++) lanes.touch(`r${n}`, 'rita', 0)
  lanes.touch('c', 'cat', 0)
  const shares = lanes.share(0, 64)
  expect([...shares.values()].reduce((sum, count) => sum + count, 0)).toBe(20)
  expect(shares.get('c')).toBe(4)
})
