import { findClient, registerClient, registeredClient } from './clients.ts'
import { OAuthError } from './error.ts'
import { exchange, revoke, startGrant } from './grants.ts'

export const oauth = {
  registerClient,
  registeredClient,
  findClient,
  startGrant,
  exchange,
  revoke,
  OAuthError,
}

declare module '../../../runtime/areas/ports.ts' {
  interface Services {
    /** How clients of AI agents get tokens by OAuth. */
    readonly oauth: typeof oauth
  }
}
