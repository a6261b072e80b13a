import { isIPv6 } from 'node:net'
import { invalid } from '../../contract/problem.ts'
import type { AgentClients, AgentClientView } from '../panel-request.ts'

/** What a client asks a person for (RFC 6749, with PKCE and RFC 8707). */
export interface AuthorizationRequest {
  readonly client: AgentClientView
  readonly redirectUri: string
  readonly state: string | undefined
  readonly challenge: string
  readonly resource: string
  /** What the person may choose from. */
  readonly scopes: readonly string[]
}

/** An error that the client is told, at the address that it registered. */
export interface RefusedRequest {
  readonly error: string
  readonly description: string
}

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/

/** A parameter that decides who gets the answer: an error is the person's to see. */
export function ownParameter(query: URLSearchParams, name: 'client_id' | 'redirect_uri'): string {
  const values = query.getAll(name)
  if (values.length !== 1 || values[0] === '') throw invalid(name, 'is required, once')
  return values[0]!
}

/** The address to answer at, exactly as the client registered it. */
export function redirectUriOf(query: URLSearchParams, client: AgentClientView): string {
  const uri = ownParameter(query, 'redirect_uri')
  if (!client.redirect_uris.includes(uri)) throw invalid('redirect_uri', 'is not one that the client registered')
  return uri
}

const refused = (error: string, description: string): RefusedRequest => ({ error, description })

export function readRequest(
  query: URLSearchParams,
  client: AgentClientView,
  agents: AgentClients,
): AuthorizationRequest | RefusedRequest {
  const redirectUri = redirectUriOf(query, client)
  const one = (name: string): string | undefined => query.get(name) || undefined
  const repeated = ['response_type', 'state', 'scope', 'code_challenge', 'code_challenge_method', 'resource'].find(
    (name) => query.getAll(name).length > 1,
  )
  if (repeated === 'resource') return refused('invalid_target', 'There is one resource.')
  if (repeated !== undefined) return refused('invalid_request', `${repeated} must not be repeated.`)
  if (one('response_type') !== 'code') return refused('unsupported_response_type', 'response_type must be code.')
  const challenge = one('code_challenge') ?? ''
  if (one('code_challenge_method') !== 'S256' || !CHALLENGE.test(challenge))
    return refused('invalid_request', 'PKCE with S256 is required: code_challenge and code_challenge_method=S256.')
  const resource = one('resource') ?? agents.resource
  if (resource !== agents.resource) return refused('invalid_target', `The only resource is ${agents.resource}.`)
  const requested = one('scope')?.split(' ').filter(Boolean) ?? []
  const unknown = requested.find((scope) => !agents.scopes.includes(scope))
  if (unknown !== undefined) return refused('invalid_scope', 'The scope is unknown, or is not granted to clients.')
  const scopes = requested.length > 0 ? includedIn(requested, agents.scopes) : agents.scopes
  return { client, redirectUri, state: one('state'), challenge, resource, scopes }
}

/** The scopes asked for, and those that they include: a person may choose less, never more. */
const includedIn = (requested: readonly string[], all: readonly string[]): string[] =>
  all.filter((scope) => {
    if (requested.includes(scope)) return true
    if (!scope.endsWith(':read')) return false
    return requested.includes('read-only') || requested.includes(scope.replace(/:read$/, ':write'))
  })

/** The client's address with an answer. It is extended as text: what was registered stays exact. */
export function answerAt(redirectUri: string, answer: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(answer)) if (value !== undefined) query.set(name, value)
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query}`
}

/** For a content policy, which has no form for IPv6 addresses. */
export function sourceOf(redirectUri: string): string {
  const { origin, hostname, protocol } = new URL(redirectUri)
  return isIPv6(hostname.replace(/^\[|\]$/g, '')) ? protocol : origin
}
