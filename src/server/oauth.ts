import { Problem } from '../contract/problem.ts'
import { readBody, readForm, small } from './body.ts'
import { callerOf } from './caller.ts'
import type { C } from './environment.ts'
import { headersOf } from './headers.ts'
import { refuseUnlessServed } from './mcp.ts'
import type { AppOptions } from './options.ts'
import { authorizationServer, protectedResource } from './well-known.ts'

type Endpoint = (c: C, options: AppOptions) => Response | Promise<Response>

/** Units of an address's allowance: each call is a change, and hashes. */
const CALL_UNITS = 5

const reply = ({ runtime }: AppOptions, status: number, body?: object, more: Readonly<Record<string, string>> = {}) => {
  const headers = { ...headersOf(runtime.id(), 'application/json'), Pragma: 'no-cache', ...more }
  return new Response(body ? JSON.stringify(body) : null, { status, headers })
}

/** An endpoint for anyone whose errors are those of RFC 6749. */
const endpoint =
  (act: Endpoint): Endpoint =>
  async (c, options) => {
    const { runtime } = options
    refuseUnlessServed(options)
    const { address } = callerOf(c, options)
    try {
      runtime.limiter.charge({ caller: undefined, customer: undefined, address }, CALL_UNITS)
      return await act(c, options)
    } catch (error) {
      const { code, message } = asOAuthError(error, options)
      return reply(options, 400, { error: code, error_description: message })
    }
  }

const malformed: ReadonlySet<string> = new Set(['validation', 'unsupported-media-type', 'too-large'])

function asOAuthError(error: unknown, { runtime }: AppOptions) {
  const { OAuthError } = runtime.ports.oauth
  if (error instanceof OAuthError) return error
  if (error instanceof Problem && malformed.has(error.code)) return new OAuthError('invalid_request', error.message)
  throw error
}

/** For anyone, in any browser. */
const metadata =
  (describe: typeof protectedResource): Endpoint =>
  (_c, options) => {
    refuseUnlessServed(options)
    return reply(options, 200, describe(options.runtime), { 'Access-Control-Allow-Origin': '*' })
  }

export const showResource = metadata(protectedResource)
export const showAuthorizationServer = metadata(authorizationServer)

/** RFC 7591. */
export const registerClient = endpoint(async (c, options) => {
  const { runtime } = options
  const body = ((await readBody(c, small, () => {})) ?? {}) as Record<string, unknown>
  const client = await runtime.ports.oauth.registerClient(runtime, body, callerOf(c, options).address)
  return reply(options, 201, {
    client_id: client.id,
    client_id_issued_at: Math.floor(client.created_at / 1000),
    client_name: client.name,
    redirect_uris: client.redirect_uris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  })
})

export const exchangeGrant = endpoint(async (c, options) => {
  const { exchange } = options.runtime.ports.oauth
  return reply(options, 200, await exchange(options.runtime, await readForm(c, small)))
})

export const revokeGrant = endpoint(async (c, options) => {
  const { revoke } = options.runtime.ports.oauth
  await revoke(options.runtime, await readForm(c, small))
  return reply(options, 200)
})
