import type { Client } from '../client.ts'
import { clientOf, type Invocation } from '../invocation.ts'
import { printDocument } from '../output/print.ts'
import { data } from '../terminal.ts'

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
  readonly token?: { readonly name: string; readonly scopes: readonly string[]; readonly expires_at?: number }
}

/** Shows the server, who one is there, and how it was chosen. */
export async function run(invocation: Invocation): Promise<void> {
  const client = clientOf(invocation)
  const identity = client.target.socket && !client.target.token ? await bySocket(client) : await byToken(client)
  const { globals } = invocation
  if (globals.quiet || globals.output === 'name') return data(`${identity.user}\n`)
  if (globals.output !== 'table') return printDocument(invocation, identity)
  data(asLines(identity))
}

async function byToken(client: Client): Promise<Identity> {
  const { body } = await client.call({ method: 'GET', path: '/token' })
  const { server, principal_name, kind, name, scopes, expires_at } = body as Token
  const token = { name, scopes, ...(expires_at !== undefined && { expires_at }) }
  return { server, ...placeOf(client), user: principal_name, kind: `${kind} token`, token }
}

/** Whoever can open the socket is root. */
async function bySocket(client: Client): Promise<Identity> {
  await client.call({ method: 'GET', path: '/accounts', query: { per_page: 1 } })
  return { server: client.target.label, ...placeOf(client), user: 'root', kind: 'root' }
}

const placeOf = ({ target }: Client): { address: string; chosen_by: string } => ({
  address: target.socket ? `unix:${target.socket}` : target.url.href,
  chosen_by: target.because,
})

function asLines({ server, address, user, kind, chosen_by, token }: Identity): string {
  const held = token ? `${kind} ${token.name} (${token.scopes.join(', ')})` : kind
  return `${user} on ${server}\n  as: ${held}\n  at: ${address}\n  chosen by: ${chosen_by}\n`
}
