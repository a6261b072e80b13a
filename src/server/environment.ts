import type { IncomingMessage, ServerResponse } from 'node:http'

/** What a listener tells the app of a request, besides the request. */
export interface Environment {
  incoming?: IncomingMessage
  outgoing?: ServerResponse
  /** It came over the local socket: whoever can open that is root. */
  local?: boolean
  /** Where it came from, when there is no socket to ask (tests). */
  address?: string
}

/** The address a request came from, one spelling each; a proxy's word counts only if the proxy is trusted. */
export type AddressOf = (env: Environment, header: (name: string) => string | undefined) => string | undefined
