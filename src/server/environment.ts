import type { IncomingMessage, ServerResponse } from 'node:http'

/** What a listener tells the app of a request, besides the request. */
export interface Environment {
  incoming?: IncomingMessage
  outgoing?: ServerResponse
  /** The request came over the local socket, so the caller is root. */
  local?: boolean
  /** The request came over the socket of nginx, which names the caller. */
  front?: boolean
  /** The caller's address, for tests, which have no socket. */
  address?: string
}

/** The address a request came from, one spelling each; a proxy's word counts only if the proxy is trusted. */
export type AddressOf = (env: Environment, header: (name: string) => string | undefined) => string | undefined
