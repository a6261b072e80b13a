import { expect, test } from 'vitest'
import { startPanel, type TestPanel } from '../../harness.ts'
import { type Agent, agentOf } from '../agent.ts'
import { type Task, tasks } from './tasks.ts'

const MAX_CALLS = 6

/** Solves a task by what the tools answer alone, as a client would that has never seen the panel. */
async function solve(panel: TestPanel, agent: Agent, { query, operation, find, input = {} }: Task): Promise<void> {
  agent.calls = 0
  const { operations } = (await agent.call('search_operations', { query })).content
  expect(operations.map(({ id }: { id: string }) => id)).toContain(operation)
  const described = (await agent.call('describe_operation', { id: operation })).content
  const all: Record<string, unknown> = { ...input }
  if (find) {
    const [name, kind, parameter] = find
    const { items } = (await agent.call('find', { name })).content.answer
    const found = items.find((one: { kind: string }) => one.kind === kind)
    all[parameter] = found.id
    if (parameter !== 'id') all['id'] = found.account_id
  }
  for (const name of Object.keys(all)) expect(Object.keys(described.input.properties)).toContain(name)
  for (const name of described.input.required) expect(Object.keys(all)).toContain(name)
  const order = { id: operation, input: all, reason: 'the person asked for it' }
  if (described.call_with === 'read') {
    const read = await agent.call('read', { id: operation, input: all })
    expect(read.isError, read.text).toBe(false)
  } else {
    const dry = await agent.call('change', order)
    expect(dry.isError, dry.text).toBe(false)
    const done = await agent.call('change', { ...order, confirm: dry.content.confirm })
    expect(done.content.done, done.text).toBe(true)
    await panel.settle()
    if (done.content.job && agent.calls < MAX_CALLS)
      expect((await agent.call('wait', { job: done.content.job })).content.answer.job.status).toBe('succeeded')
  }
  expect(agent.calls).toBeLessThanOrEqual(MAX_CALLS)
}

test('twenty tasks are done in at most six calls each', { timeout: 120_000 }, async () => {
  const panel = await startPanel()
  await panel.account('alice')
  const agent = await agentOf(panel, { allowChanges: true })
  expect(tasks).toHaveLength(20)
  for (const task of tasks) await solve(panel, agent, task)
})
