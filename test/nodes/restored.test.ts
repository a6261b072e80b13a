import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { events, fill } from '../backups/fixtures.ts'
import { startPanel } from '../harness.ts'
import { lose, second } from './second.ts'

test('an account of a lost node is restored from its backup on the given node', async () => {
  const panel = await startPanel()
  const { root } = await second(panel, { name: 'web2' })
  const web3 = await second(panel, { name: 'web3' })
  const bob = await panel.account('bob', { node: 'web2' })
  fill(join(root, 'home/bob'))
  const { backup } = (await panel.post(`/accounts/${bob.id}/backups`, {})).body
  await panel.settle()
  const web2 = (await panel.get('/nodes?q=web2')).body.items[0]
  lose(panel, 'web2')
  await panel.patch(`/nodes/${web2.id}`, { state: 'retired', lost: true })
  await panel.delete(`/accounts/${bob.id}?confirm=bob`)
  await panel.settle()
  panel.forget()
  const restored = (name: string, node: string) =>
    panel.post(`/backups/${backup.id}/restore`, { username: name, domain: `${name}.example`, node })
  expect(await restored('eve', 'web2')).toMatchObject({ status: 400, body: { fields: { node: 'is retired' } } })
  expect(await restored('eve', 'web9')).toMatchObject({ status: 400, body: { fields: { node: 'is not a node' } } })
  const reply = await restored('rob', 'web3')
  expect([reply.status, reply.body.account.node]).toEqual([202, 'web3'])
  expect(await events(panel)).toEqual({
    events: ['account.created', 'job.completed', 'job.completed', 'job.completed'],
    jobs: ['account.create succeeded', 'dns.served.apply succeeded', 'backup.restore succeeded'],
  })
  const page = (folder: string) => join(folder, 'home/rob/sites/bob.example/public/index.html')
  expect([existsSync(page(join(panel.dir, 'host'))), existsSync(page(root))]).toEqual([false, false])
  expect(existsSync(join(web3.root, 'home/rob/sites/run.sh'))).toBe(true)
  expect(readFileSync(join(web3.root, 'home/rob/sites/alice.example/public/index.html'), 'utf8')).toContain('hello')
  expect((await panel.get('/jobs?kind=backup.restore')).body.items).toMatchObject([{ node: 'web3' }])
})
