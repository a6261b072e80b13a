import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { onTestFinished } from 'vitest'
import { type Backend, Refusal } from '../../src/mcp/backend.ts'
import { stdioServer } from '../../src/mcp/stdio.ts'
import type { Json, TestPanel } from '../harness.ts'

export interface AgentOptions {
  readonly token?: string
  readonly account?: { readonly id: string; readonly username: string }
  readonly allowChanges?: boolean
  readonly allowDestructive?: boolean
  /** What the person answers; without it the client cannot ask. */
  readonly person?: (sentence: string) => 'accept' | 'decline' | 'cancel'
}

/** A tool's answer. */
export interface ToolAnswer {
  readonly isError: boolean
  readonly text: string
  readonly content: Json
}

/** The SDK's own client. */
export class Agent {
  readonly client: Client
  calls = 0

  constructor(client: Client) {
    this.client = client
  }

  async call(name: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> {
    this.calls++
    const result: Json = await this.client.callTool({ name, arguments: args })
    return { isError: result.isError === true, text: result.content[0].text, content: result.structuredContent }
  }

  /** Without a dry run's two steps. */
  async change(id: string, input: object, reason = 'test'): Promise<ToolAnswer> {
    const first = await this.call('change', { id, input, reason })
    if (first.isError) return first
    return this.call('change', { id, input, reason, confirm: first.content.confirm })
  }
}

/** The panel as `panel mcp` reaches it. */
export const backendOf = (panel: TestPanel, token?: string): Backend => ({
  async call(op, { params, query, body }, agent) {
    const path = op.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name]!)
    const search = new URLSearchParams(query).toString()
    const headers = {
      'x-panel-agent': Buffer.from(JSON.stringify(agent)).toString('base64url'),
      ...(token && { Authorization: `Bearer ${token}` }),
      ...(body && { 'Content-Type': 'application/json' }),
    }
    const response = await panel.panel.app.fetch(
      new Request(`https://host.example:7711/api/v1${path}${search && `?${search}`}`, {
        method: op.method.toUpperCase(),
        headers,
        ...(body && { body: JSON.stringify(body) }),
      }),
      { local: token === undefined, address: '192.0.2.1' },
    )
    const text = await response.text()
    const reply = text === '' ? undefined : JSON.parse(text)
    if (response.status >= 400) throw new Refusal(reply)
    return reply
  },
})

/** An agent that speaks to the server of `panel mcp`. */
export async function agentOf(panel: TestPanel, options: AgentOptions = {}): Promise<Agent> {
  const { token, account, allowChanges = false, allowDestructive = false, person } = options
  const server = stdioServer({ backend: backendOf(panel, token), account, allowChanges, allowDestructive }, () =>
    panel.clock.now(),
  )
  const client = new Client(
    { name: 'test-agent', version: '1.0.0' },
    { capabilities: person ? { elicitation: { form: {} } } : {} },
  )
  if (person)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      const action = person(params.message)
      return action === 'accept' ? { action, content: {} } : { action }
    })
  const [one, other] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(other), client.connect(one)])
  onTestFinished(() => client.close())
  return new Agent(client)
}

/** The SDK's own client over HTTP. */
export async function connected(panel: TestPanel, token: string): Promise<Agent> {
  const client = new Client({ name: 'test-agent', version: '1.0.0' }, { capabilities: { elicitation: { url: {} } } })
  const transport = new StreamableHTTPClientTransport(new URL('https://host.example:7711/mcp'), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
    fetch: async (url, init) => panel.panel.app.fetch(new Request(url, init as RequestInit), { address: '192.0.2.1' }),
  })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return new Agent(client)
}
