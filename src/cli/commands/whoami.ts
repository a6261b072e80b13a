import { denied } from '../errors.ts'
import { clientOf, type Invocation } from '../invocation.ts'
import { printDocument } from '../output/document.ts'
import { iso } from '../output/time.ts'
import type { Client } from '../request/client.ts'
import { sessionPath } from '../request/session.ts'
import { data, printable } from '../terminal.ts'
import type { SessionAnswer } from './sign-in/password.ts'

interface Token {
  readonly server: string
  readonly principal_name: string
  readonly kind: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly expires_at?: number
}

interface Identity {
  readonly server: string
  readonly address: string
  readonly user: string
  readonly kind: string
  readonly chosen_by: string
  /** The credentials in use. */
  readonly signed_in_by: string
  readonly context?: string
  readonly token?: { readonly name: string; readonly scopes: readonly string[]; readonly expires_at?: number }
  readonly session?: { readonly panel: string; readonly expires_at?: number }
}

/** Shows the server and your identity there, and where each comes from. */
export async function run(invocation: Invocation): Promise<void> {
  const identity = await identityOf(clientOf(invocation))
  const { globals } = invocation
  if (globals.quiet || globals.output === 'name') return data(`${printable(identity.user)}\n`)
  if (globals.output !== 'table') return printDocument(invocation.globals, identity)
  data(printable(asLines(identity)))
}

export function identityOf(client: Client): Promise<Identity> {
  const { socket, token, session } = client.target
  if (session) return bySession(client, session.panel)
  return socket && !token ? bySocket(client) : byToken(client)
}

async function byToken(client: Client): Promise<Identity> {
  const { body } = await client.call({ method: 'GET', path: '/token' })
  const { server, principal_name, kind, name, scopes, expires_at } = body as Token
  const token = { name, scopes, ...(expires_at !== undefined && { expires_at }) }
  return { server, ...placeOf(client), user: principal_name, kind: `${kind} token`, token }
}

async function bySession(client: Client, panel: 'admin' | 'user'): Promise<Identity> {
  const { body } = await client.call({ method: 'GET', path: sessionPath(panel, 'session') })
  const { authenticated, username = '', role = 'user', expires_at } = body as SessionAnswer
  if (!authenticated) throw denied('The session has ended', `panel login --context ${client.target.context}`)
  const session = { panel, ...(expires_at !== undefined && { expires_at }) }
  return { server: client.target.url.host, ...placeOf(client), user: username, kind: role, session }
}

/** Anyone who can open the socket is root. */
async function bySocket(client: Client): Promise<Identity> {
  await client.call({ method: 'GET', path: '/accounts', query: { per_page: 1 } })
  return { server: client.target.label, ...placeOf(client), user: 'root', kind: 'root' }
}

function placeOf({ target }: Client): Pick<Identity, 'address' | 'chosen_by' | 'signed_in_by' | 'context'> {
  return {
    address: target.socket ? `unix:${target.socket}` : target.url.href,
    chosen_by: target.source,
    signed_in_by: signedInBy(target),
    ...(target.context && { context: target.context }),
  }
}

function signedInBy({ context, socket, token, session }: Client['target']): string {
  if (context) return `the ${session ? 'session' : 'token'} of ${context}`
  return socket && !token ? 'the local socket' : 'PANEL_TOKEN'
}

function asLines({ server, address, user, kind, chosen_by, signed_in_by, token, session }: Identity): string {
  const description = token ? `${kind} ${token.name} (${token.scopes.join(', ')})` : kind
  const until = token?.expires_at ?? session?.expires_at
  const lines = [
    `${user} on ${server}`,
    `  as: ${description}`,
    `  at: ${address}`,
    `  chosen by: ${chosen_by}`,
    `  signed in by: ${signed_in_by}${until === undefined ? '' : `, until ${iso(until)}`}`,
  ]
  return `${lines.join('\n')}\n`
}
