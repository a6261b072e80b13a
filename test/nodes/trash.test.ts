import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandTable } from '../../src/generate/table.ts'
import { type Json, startPanel } from '../harness.ts'
import { lose, second } from './second.ts'

test('deleted data of every node is listed, even while one is down', async () => {
  const panel = await startPanel()
  const { root } = await second(panel, { name: 'web2' })
  for (const [name, node] of [
    ['alice', 'local'],
    ['bob', 'web2'],
  ]) {
    const { id } = await panel.account(name!, { node })
    await panel.delete(`/accounts/${id}?confirm=${name}&final_backup=false`)
    await panel.settle()
  }
  expect(existsSync(join(root, 'home/bob'))).toBe(false)
  expect(readdirSync(join(root, 'home'))).not.toContain('alice')
  const listed = async () => (await panel.get('/trash')).body.items.map(({ path }: Json) => path.split('/').at(-1))
  expect((await listed()).map((name: string) => name.replace(/\W.*$/, ''))).toHaveLength(2)
  const { items } = (await panel.get('/trash')).body
  expect(items.map(({ node }: Json) => node)).toEqual([undefined, 'web2'])
  expect((await panel.get('/trash?node=web2')).body.items).toEqual([items[1]])
  expect((await panel.get('/trash?node=local')).body.items).toEqual([items[0]])
  expect(Object.keys((await panel.get('/trash')).body)).toEqual(['items'])
  lose(panel, 'web2')
  expect(await listed()).toHaveLength(1)
  expect((await panel.get('/trash')).body.unreachable).toEqual([
    { node: 'web2', reason: 'Node web2 is down: it has not answered for 6 seconds.' },
  ])
  const { status, code, body } = await panel.get('/trash?node=web2')
  expect([status, code, body.detail]).toEqual([
    503,
    'overloaded',
    'Node web2 is down: it has not answered for 6 seconds.',
  ])
  expect((await panel.get('/trash?node=nope')).body.fields).toEqual({ node: 'is not a node' })
})

test('the columns of the trash and of the host are the same as without nodes', () => {
  const { listHostTrash, getHost } = commandTable().operations
  expect([listHostTrash!.columns, getHost!.columns[0]]).toEqual([['id', 'deleted_at', 'size', 'path'], 'driver'])
})
