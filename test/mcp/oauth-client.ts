import { createHash, randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import type { Json, Reply, TestPanel } from '../harness.ts'
import { formIn, password, Visitor } from '../web/visitor.ts'

export const origin = 'https://host.example:7711'
export const resource = `${origin}/mcp`
export const callback = 'https://agent.example/callback'

/** A client of AI agents, by hand: what the SDK would never send can be sent. */
export class OAuthClient {
  readonly panel: TestPanel
  readonly id: string
  readonly verifier = randomBytes(32).toString('base64url')

  constructor(panel: TestPanel, id: string) {
    this.panel = panel
    this.id = id
  }

  static async register(panel: TestPanel, redirect_uris: readonly string[] = [callback], name = 'Agent') {
    const made = await register(panel, { redirect_uris, client_name: name })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    return new OAuthClient(panel, made.body.client_id)
  }

  get challenge(): string {
    return createHash('sha256').update(this.verifier).digest('base64url')
  }

  /** Where the person is sent; `undefined` leaves a parameter out. */
  path(more: Readonly<Record<string, string | undefined>> = {}): string {
    const all = {
      response_type: 'code',
      client_id: this.id,
      redirect_uri: callback,
      code_challenge: this.challenge,
      code_challenge_method: 'S256',
      state: 'xyz',
      resource,
      ...more,
    }
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(all)) if (value !== undefined) query.set(name, value)
    return `/oauth/authorize?${query}`
  }

  /** A person's consent; the parameters that the client gets. */
  async consent(visitor: Visitor, choices: Choices = {}, more: Record<string, string | undefined> = {}) {
    const reply = await answerConsent(visitor, this.path(more), choices)
    expect(reply.status, reply.body + reply.headers.get('location')).toBe(302)
    return answerIn(reply)
  }

  async code(visitor: Visitor, choices: Choices = {}): Promise<string> {
    return (await this.consent(visitor, choices)).get('code')!
  }

  exchange(code: string, more: Readonly<Record<string, string | undefined>> = {}): Promise<Reply> {
    return this.token({
      grant_type: 'authorization_code',
      code,
      redirect_uri: callback,
      code_verifier: this.verifier,
      ...more,
    })
  }

  refresh(refresh_token: string, more: Readonly<Record<string, string | undefined>> = {}): Promise<Reply> {
    return this.token({ grant_type: 'refresh_token', refresh_token, ...more })
  }

  token(fields: Readonly<Record<string, string | undefined>>): Promise<Reply> {
    return post(this.panel, '/oauth/token', { client_id: this.id, ...fields })
  }

  async tokens(visitor: Visitor, choices: Choices = {}): Promise<Json> {
    const reply = await this.exchange(await this.code(visitor, choices))
    expect(reply.status, JSON.stringify(reply.body)).toBe(200)
    return reply.body
  }
}

export interface Choices {
  readonly access?: 'read-only' | 'areas'
  readonly scopes?: readonly string[]
  readonly [name: string]: string | readonly string[] | undefined
}

export const register = (panel: TestPanel, body: object, from = '192.0.2.1'): Promise<Reply> =>
  panel.post(`${origin}/oauth/register`, body, { from })

export function post(panel: TestPanel, path: string, fields: Readonly<Record<string, string | undefined>>) {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, value)
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  return panel.post(`${origin}${path}`, form.toString(), { from: '192.0.2.1', headers })
}

/** Opens the page, and answers its form as a person would. */
export async function answerConsent(visitor: Visitor, path: string, choices: Choices = {}): Promise<Reply> {
  const page = await visitor.get(path)
  expect(page.status, page.body).toBe(200)
  return submitConsent(visitor, page, choices)
}

export function submitConsent(visitor: Visitor, page: Reply, { scopes, ...choices }: Choices = {}): Promise<Reply> {
  // The form has no operation's name, so give it one for the reader.
  const marked = page.body.replace(/(<form[^>]*action="\/oauth\/[^>]*>)/, '$1<input name="do" value="consent">')
  const { action, fields } = formIn(marked, 'consent')
  fields.delete('do')
  fields.set('decision', 'connect')
  if (scopes) {
    fields.set('access', 'areas')
    fields.delete('scope')
    for (const scope of scopes) fields.append('scope', scope)
  }
  for (const [name, value] of Object.entries(choices)) fields.set(name, String(value))
  return visitor.post(action.replaceAll('&amp;', '&'), fields)
}

export function answerIn(reply: Reply): URLSearchParams {
  const location = reply.headers.get('location') ?? ''
  expect(location.startsWith(`${callback}?`), location).toBe(true)
  return new URL(location).searchParams
}

export async function withAlice(panel: TestPanel): Promise<{ alice: Json; visitor: Visitor }> {
  await panel.patch('/settings', { mcp_http: true })
  const alice = await panel.account('alice', { password })
  return { alice, visitor: await new Visitor(panel).signIn('alice') }
}
