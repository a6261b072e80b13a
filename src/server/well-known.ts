import { accountAreas, adminAreas } from '../contract/common.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { publicUrl } from '../runtime/settings/server-names.ts'

const originOf = (runtime: Runtime): string => new URL(publicUrl(runtime)).origin

/** The authorization server's id (RFC 8414). */
export const issuerOf = originOf

export const resourceOf = (runtime: Runtime): string => `${originOf(runtime)}/mcp`

const pairs = (areas: readonly string[]): string[] => areas.flatMap((area) => [`${area}:read`, `${area}:write`])

/** The scopes of tokens, but for `full-access`, which no agent needs. */
export const scopesSupported: readonly string[] = ['read-only', ...pairs(adminAreas), ...pairs(accountAreas)]

export const metadataUrl = (runtime: Runtime): string => `${originOf(runtime)}/.well-known/oauth-protected-resource/mcp`

/** RFC 9728. */
export const protectedResource = (runtime: Runtime): object => ({
  resource: resourceOf(runtime),
  authorization_servers: [issuerOf(runtime)],
  scopes_supported: scopesSupported,
  bearer_methods_supported: ['header'],
  resource_name: 'panel',
})

/** RFC 8414. */
export function authorizationServer(runtime: Runtime): object {
  const issuer = issuerOf(runtime)
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    registration_endpoint: `${issuer}/oauth/register`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    scopes_supported: scopesSupported,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    protected_resources: [resourceOf(runtime)],
  }
}
