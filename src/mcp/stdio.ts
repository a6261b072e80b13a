import { randomUUID } from 'node:crypto'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { Backend } from './backend.ts'
import { ChangeLog } from './change-log.ts'
import { APPROVAL_TTL_MS, Confirmations } from './confirmations.ts'
import { createMcpServer, type Server } from './server.ts'
import type { Approval, ApprovalRequest, McpSession } from './session.ts'

export { Refusal } from './backend.ts'

export interface StdioOptions {
  readonly backend: Backend
  readonly account?: McpSession['account']
  readonly allowChanges: boolean
  readonly allowDestructive: boolean
}

/** Speaks MCP over standard input and output until the client closes it. */
export async function serveStdio(options: StdioOptions): Promise<void> {
  const server = stdioServer(options, () => performance.now())
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve
    // The transport does not notice the end of its input.
    process.stdin.once('end', () => void server.close())
  })
  await server.connect(new StdioServerTransport())
  await closed
}

/** The server of one process: its confirmations and its hour of changes end with it. */
export function stdioServer(options: StdioOptions, now: () => number): Server {
  const server: Server = createMcpServer({
    backend: options.backend,
    account: options.account,
    readOnly: options.allowChanges ? undefined : 'Ask the person to start panel mcp with --allow-changes.',
    caller: randomUUID(),
    client: () => clientName(server),
    confirmations: new Confirmations(now),
    changes: new ChangeLog(now),
    approve: (request) => approve(server, request, options),
  })
  return server
}

function clientName(server: Server): string | undefined {
  const client = server.getClientVersion()
  return client && `${client.title ?? client.name} ${client.version}`.trim()
}

/** Asks the person by a form of the client. */
async function approve(
  server: Server,
  { sentence }: ApprovalRequest,
  { allowDestructive }: StdioOptions,
): Promise<Approval> {
  if (!server.getClientCapabilities()?.elicitation?.form) {
    const how = 'This client cannot ask them: panel mcp must be started with --allow-destructive.'
    return allowDestructive ? { status: 'approved' } : { status: 'unavailable', how }
  }
  const { action } = await server.elicitInput(
    { mode: 'form', message: sentence, requestedSchema: { type: 'object', properties: {} } },
    { timeout: APPROVAL_TTL_MS },
  )
  return { status: action === 'accept' ? 'approved' : 'declined' }
}
