import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, onTestFinished, test } from 'vitest'
import { operationList } from '../../src/contract/index.ts'
import { isOutOfReach } from '../../src/contract/reach.ts'
import { MAX_RESULT_BYTES } from '../../src/mcp/result.ts'
import { startPanel } from '../harness.ts'
import { agentOf } from './agent.ts'

test('eight tools cost at most 2,000 tokens', async () => {
  const agent = await agentOf(await startPanel())
  const { tools } = await agent.client.listTools()
  expect(tools.map(({ name }) => name)).toEqual([
    'search_operations',
    'describe_operation',
    'read',
    'change',
    'wait',
    'find',
    'recent',
    'undo',
  ])
  const tokens = countTokens(JSON.stringify({ tools }))
  expect(tokens).toBeLessThanOrEqual(2000)
  // docs/mcp.md says so.
  expect(tokens).toBeLessThanOrEqual(1100)
})

test('what the panel describes of each operation is bounded and has an example that its schema takes', async () => {
  const agent = await agentOf(await startPanel())
  for (const op of operationList.filter((one) => !isOutOfReach(one))) {
    const answer = await agent.call('describe_operation', { id: op.id })
    expect(answer.isError, `${op.id} ${answer.text}`).toBe(false)
    expect(Buffer.byteLength(answer.text), op.id).toBeLessThanOrEqual(MAX_RESULT_BYTES)
    const { input, example } = answer.content
    for (const name of input.required) expect(Object.keys(example), `${op.id} ${name}`).toContain(name)
    for (const name of Object.keys(example)) expect(Object.keys(input.properties), op.id).toContain(name)
  }
})

test('an agent finds, reads, changes after a dry run, waits and undoes', async () => {
  const panel = await startPanel()
  const alice = await panel.account('alice')
  const agent = await agentOf(panel, { allowChanges: true })
  const found = await agent.call('search_operations', { query: 'suspend an account' })
  expect(found.content.operations[0].id).toBe('suspendAccount')
  expect((await agent.call('find', { name: 'alice' })).content.answer.items[0]).toMatchObject({
    kind: 'account',
    id: alice.id,
  })
  const before = panel.store.sqlite
    .prepare(
      'SELECT (SELECT count(*) FROM audit) + (SELECT count(*) FROM jobs) + (SELECT count(*) FROM events) + (SELECT count(*) FROM idempotency)',
    )
    .pluck()
  const count = before.get()
  const input = { id: alice.id, reason: 'unpaid' }
  const dry = await agent.call('change', { id: 'suspendAccount', input, reason: 'the invoice is overdue' })
  expect(dry.content).toMatchObject({
    dry_run: true,
    destructive: false,
    confirm: expect.any(String),
    would: {
      account: { id: alice.id, username: 'alice' },
      events: [{ type: 'account.suspended', object: 'account', object_id: alice.id, account: 'alice' }],
      jobs: [{ kind: 'account.suspend', account: 'alice' }],
    },
  })
  expect(before.get()).toBe(count)
  expect((await panel.get(`/accounts/${alice.id}`)).body.status).toBe('active')
  const { confirm } = dry.content
  const done = await agent.call('change', { id: 'suspendAccount', input, reason: 'the invoice is overdue', confirm })
  expect(done.content).toMatchObject({ done: true, job: expect.any(String), undo: { by: 'unsuspendAccount' } })
  expect(panel.events()).toEqual(['account.suspended'])
  await panel.settle()
  expect((await agent.call('wait', { job: done.content.job })).content.answer.job.status).toBe('succeeded')
  const [entry] = (await panel.get('/audit?order=desc&per_page=1')).body.items
  expect(entry).toMatchObject({
    operation: 'suspendAccount',
    via: 'mcp',
    reason: 'the invoice is overdue',
    client: 'test-agent 1.0.0',
  })
  const [event] = (await panel.get('/events?order=desc&limit=2')).body.items.filter(
    (one: { type: string }) => one.type === 'account.suspended',
  )
  expect(event.data).toMatchObject({ via: 'mcp', reason: 'the invoice is overdue', client: 'test-agent 1.0.0' })
  const undo = { change: done.content.change, reason: 'paid' }
  const dryUndo = await agent.call('undo', undo)
  expect(dryUndo.content.would.events[0].type).toBe('account.unsuspended')
  expect((await agent.call('undo', { ...undo, confirm: dryUndo.content.confirm })).content.done).toBe(true)
  expect((await panel.get(`/accounts/${alice.id}`)).body.status).toBe('active')
  await panel.settle()
  const again = await agent.call('undo', undo)
  expect(again).toMatchObject({ isError: true, content: { error: { code: 'changed' } } })
})

test('undoes changes of records by serial, of fields by their former values, and of files from the trash', async () => {
  const panel = await startPanel()
  const alice = await panel.account('alice')
  const agent = await agentOf(panel, { allowChanges: true, allowDestructive: true })
  const [zone] = (await panel.get(`/accounts/${alice.id}/dns/zones`)).body.items
  const path = `/accounts/${alice.id}/dns/zones/${zone.id}/records`
  const undone = async (change: string) => {
    const dry = await agent.call('undo', { change })
    expect(dry.isError, dry.text).toBe(false)
    return agent.call('undo', { change, confirm: dry.content.confirm })
  }
  const texts = async () =>
    (await panel.get(`${path}?per_page=500`)).body.items
      .filter(({ type }: { type: string }) => type === 'TXT')
      .map(({ name, value }: { name: string; value: string }) => `${name} ${value}`)
  const before = await texts()
  const ids = { id: alice.id, zid: zone.id }
  const made = await agent.change('createDnsRecord', { ...ids, name: 'check', type: 'TXT', value: 'one' })
  const rid = made.content.answer.record.id
  const updated = await agent.change('updateDnsRecord', { ...ids, rid, value: 'two' })
  expect((await agent.call('undo', { change: made.content.change })).content.error.code).toBe('serial-mismatch')
  expect((await undone(updated.content.change)).content.done).toBe(true)
  expect(await texts()).toContain('check one')
  const deleted = await agent.change('deleteDnsRecord', { ...ids, rid })
  expect(await texts()).toEqual(before)
  expect((await undone(deleted.content.change)).content.done).toBe(true)
  expect(await texts()).toContain('check one')

  const { id } = (await panel.post('/packages', { name: 'small', max_sql: 3 })).body
  const changed = await agent.change('updatePackage', { id, max_sql: 5 })
  expect((await undone(changed.content.change)).content.done).toBe(true)
  expect((await panel.get(`/packages/${id}`)).body.max_sql).toBe(3)
  const again = await agent.change('updatePackage', { id, max_sql: 5 })
  await panel.patch(`/packages/${id}`, { max_sql: 9 })
  expect((await agent.call('undo', { change: again.content.change })).content.error.code).toBe('changed')

  // Another process finds the change in the audit trail.
  const last = await agent.change('updatePackage', { id, max_sql: 7 })
  const other = await agentOf(panel, { allowChanges: true })
  const dry = await other.call('undo', { change: last.content.change })
  expect((await other.call('undo', { change: last.content.change, confirm: dry.content.confirm })).content.done).toBe(
    true,
  )
  expect((await panel.get(`/packages/${id}`)).body.max_sql).toBe(9)
})

test('the words of an operation are read once in a process, not with each search', async () => {
  const agent = await agentOf(await startPanel())
  const search = () => agent.call('search_operations', { query: 'suspend an account' })
  const first = await search()
  const op = operationList.find(({ id }) => id === 'terminateAccount')!
  const { area } = op
  let reads = 0
  // Nothing but the index reads it.
  const get = (): string => {
    reads++
    return area
  }
  Object.defineProperty(op, 'area', { configurable: true, enumerable: true, get })
  onTestFinished(() => void Object.defineProperty(op, 'area', { value: area, writable: true }))
  expect((await search()).content).toEqual(first.content)
  expect(reads).toBe(0)
})
