import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { accounts } from '../../src/areas/accounts/tables.ts'
import { setSetting } from '../../src/runtime/settings/settings.ts'
import { startPanel, type TestPanel } from '../harness.ts'
import { enrolled, second } from './second.ts'

const create = async (panel: TestPanel, username: string, node: string) => {
  const { status, body } = await panel.post('/accounts', { username, domain: `${username}.example`, node })
  expect(status).toBe(202)
  await panel.panel.worker.idle()
  return body.account
}

const sweeps = async (panel: TestPanel) =>
  (await panel.get('/jobs?kind=host.apply')).body.items.map(({ node = 'local', status }: Record<string, string>) => ({
    node,
    status,
  }))

test('after a takeover each node is swept separately, skips lost user ids, and shows orphans', async () => {
  const panel = await startPanel()
  const { root, host } = await second(panel, { name: 'web2' })
  await enrolled(panel, { name: 'web3' })
  await enrolled(panel, { name: 'gone', state: 'retired' })
  panel.panel.runtime.nodes.close('web3', 'Node web3 is down.')
  await create(panel, 'alice', 'local')
  await create(panel, 'bob', 'web2')
  const lost = await create(panel, 'lost', 'web2')
  const { db } = panel.store
  // As in a copy from before the account was created, with the epoch of a takeover.
  await panel.store.change(() => {
    db.delete(accounts).where(eq(accounts.id, lost.id)).run()
    db.run("UPDATE nodes SET next_uid = 20001 WHERE name = 'web2'")
    setSetting(db, 'epoch', panel.clock.now())
  })
  await panel.restart()
  panel.panel.fleet.attach('web2', host)
  panel.panel.runtime.nodes.open('web2')
  await panel.panel.worker.idle()
  expect(await sweeps(panel)).toEqual([
    { node: 'local', status: 'succeeded' },
    { node: 'web2', status: 'succeeded' },
    { node: 'web3', status: 'queued' },
  ])
  const [{ id }] = (await panel.get('/nodes?q=web2')).body.items
  expect((await panel.get(`/nodes/${id}/orphans`)).body.items).toEqual([{ id: lost.id, username: 'lost' }])
  expect(existsSync(join(root, 'home/lost'))).toBe(true)
  const carol = await create(panel, 'carol', 'web2')
  const { uid } = panel.store.db.select().from(accounts).where(eq(accounts.id, carol.id)).get()!
  expect(uid).toBe(20_002)
  await panel.restart()
  panel.panel.fleet.attach('web2', host)
  panel.panel.runtime.nodes.open('web2')
  await panel.panel.worker.idle()
  expect((await sweeps(panel)).length).toBe(3)
})
