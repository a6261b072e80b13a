import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { UrlElicitationRequiredError } from '@modelcontextprotocol/sdk/types.js'
import { createMcpServer } from './server.ts'
import type { McpSession } from './session.ts'

export { Refusal } from './backend.ts'
export { ChangeLog } from './change-log.ts'
export { Confirmations } from './confirmations.ts'

/** Answers one request. No session outlives it: what must, the caller passes in. */
export async function answerHttp(session: McpSession, request: Request, parsedBody: unknown): Promise<Response> {
  const server = createMcpServer(session)
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  const response = await transport.handleRequest(request, { parsedBody })
  const text = await response.text()
  await server.close()
  return new Response(text === '' ? null : text, { status: response.status, headers: response.headers })
}

/** Sends the person to a page of the panel (MCP: URL elicitation, error -32042). */
export const askAtPage = (url: string, id: string, sentence: string): never => {
  throw new UrlElicitationRequiredError(
    [{ mode: 'url', url, elicitationId: id, message: sentence }],
    `A person must approve this change, signed in, at ${url} Then call again with the same arguments.`,
  )
}
