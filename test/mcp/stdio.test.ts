import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { bin, ensureBuilt, ensureServerBuilt, environment } from '../cli/run.ts'
import { ask, scratchFolder, startServer } from '../cli/server.ts'
import { Agent } from './agent.ts'

beforeAll(() => {
  ensureBuilt()
  ensureServerBuilt()
})

/** `panel mcp` of the built package. */
async function started(words: readonly string[], env: Record<string, string>): Promise<Agent> {
  const client = new Client({ name: 'test-agent', version: '1.0.0' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin, 'mcp', ...words],
    env: environment(env) as Record<string, string>,
  })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return new Agent(client)
}

test('the built package speaks MCP over standard input and output', async () => {
  const folder = scratchFolder()
  const { socket } = await startServer(folder)
  for (const username of ['alice', 'bob'])
    expect((await ask(socket, 'POST', '/api/v1/accounts', { username, domain: `${username}.example` })).status).toBe(
      202,
    )
  const root = await started(['--allow-changes'], { PANEL_DATA_DIR: folder })
  expect((await root.client.listTools()).tools).toHaveLength(8)
  const select = 'items[].username'
  const read = await root.call('read', { id: 'listAccounts', select })
  expect(read.content).toEqual({ answer: ['alice', 'bob'], untrusted: ['answer[*]'] })
  const [alice] = (await root.call('find', { name: 'alice' })).content.answer.items
  const done = await root.change('suspendAccount', { id: alice.id, reason: 'unpaid' })
  expect((await root.call('wait', { job: done.content.job })).content.answer.job.status).toBe('succeeded')

  const one = await started(['-a', 'alice'], { PANEL_DATA_DIR: folder })
  expect((await one.call('read', { id: 'getAccount' })).content.answer.username).toBe('alice')
  const [bob] = (await root.call('find', { name: 'bob' })).content.answer.items
  const beyond = await one.call('read', { id: 'getAccount', input: { id: bob.id } })
  expect(beyond.content.error.code).toBe('out-of-reach')
  const refused = await one.call('change', { id: 'unsuspendAccount', reason: 'test' })
  expect(refused.content.error.code).toBe('read-only')
}, 60_000)
