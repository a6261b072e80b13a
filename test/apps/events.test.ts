import { expect, test } from 'vitest'
import { dataSchema, type EventType } from '../../src/contract/events.ts'
import type { Json } from '../harness.ts'
import { withAlice } from './fixtures.ts'

test('events of apps match their schemas', { timeout: 60_000 }, async () => {
  const { panel, path, create, live } = await withAlice({})
  const { id } = (await create('docs')).body.app
  await panel.settle()
  for (const text of ['one', 'two']) await live(id, { 'index.html': text })
  await panel.post(`${path}/${id}/rollback`)
  await panel.settle()
  await panel.delete(`${path}/${id}`)
  await panel.settle()
  const { items } = (await panel.get('/events?type=app.*')).body
  for (const { type, data } of items) dataSchema(type as EventType).parse(data)
  expect(items.map(({ type, data }: Json) => [type, data.object, data.object_id, data.details])).toEqual([
    ['app.created', 'app', id, { name: 'docs' }],
    ['app.deploy_started', 'app', id, { name: 'docs', release: '1' }],
    ['app.deploy_started', 'app', id, { name: 'docs', release: '2' }],
    ['app.rolled_back', 'app', id, { name: 'docs', release: '1' }],
    ['app.deleted', 'app', id, { name: 'docs' }],
  ])
})
