import { CliError, usage } from '../errors.ts'
import { clientOf, type Invocation, textOption } from '../invocation.ts'
import type { Client } from '../request/client.ts'
import { type OwnAccount, ownAccount } from '../request/own-account.ts'
import { filledPath } from '../request/plan.ts'
import { isId, resolveId } from '../request/resolve.ts'
import { note } from '../terminal.ts'

type Backend = Parameters<typeof import('../../mcp/stdio.ts').serveStdio>[0]['backend']

/** Speaks MCP over standard input and output, as the caller that every other command would be. */
export async function run(invocation: Invocation): Promise<void> {
  const [allowChanges, allowDestructive] = ['allow-changes', 'allow-destructive'].map(
    (name) => invocation.option(name) === true,
  )
  if (allowDestructive && !allowChanges)
    throw usage('--allow-destructive needs --allow-changes', 'panel mcp --allow-changes --allow-destructive')
  const client = clientOf(invocation)
  const account = await accountOf(client, textOption(invocation, 'account') || process.env['PANEL_ACCOUNT'])
  const { Refusal, serveStdio } = await import('../../mcp/stdio.ts')
  if (process.stdin.isTTY) note('panel mcp waits for an MCP client on standard input; see docs/mcp.md')
  await serveStdio({
    backend: backendOf(client, ({ problem }) => new Refusal({ status: 0, ...problem })),
    account,
    allowChanges: allowChanges === true,
    allowDestructive: allowDestructive === true,
  })
}

/** The only account that it reaches: the named one, or that of the token or session. */
async function accountOf(client: Client, name: string | undefined): Promise<OwnAccount | undefined> {
  const own = await ownAccount(client)
  if (name === undefined || name === '') return own
  if (own && (name === own.id || name === own.username)) return own
  const id = isId(name) ? name.toUpperCase() : await resolveId(client, '/accounts', '/accounts', name)
  const { body } = await client.call({ method: 'GET', path: `/accounts/${id}` })
  return body as OwnAccount
}

const encoded = (agent: object): string => Buffer.from(JSON.stringify(agent)).toString('base64url')

const backendOf = (client: Client, refusal: (error: CliError) => Error): Backend => ({
  async call(op, { params, query, body }, agent) {
    try {
      const answer = await client.call({
        method: op.method.toUpperCase(),
        path: filledPath(op.path, params),
        query,
        ...(body !== undefined && { body }),
        headers: { 'x-panel-agent': encoded(agent) },
      })
      return answer.body
    } catch (error) {
      throw error instanceof CliError ? refusal(error) : error
    }
  },
})
