import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from 'hono'

/** What a listener tells the app about a request. */
export interface Environment {
  incoming?: IncomingMessage
  outgoing?: ServerResponse
  /** Came over the local socket, so the caller is root. */
  local?: boolean
  /** Made by the server itself. */
  own?: boolean
  /** Came over nginx's socket; nginx names the caller. */
  front?: boolean
  /** The caller's address, for tests without a socket. */
  address?: string
}

/** A request in hono. */
export type C = Context<{ Bindings: Environment }>

/** A request's canonical remote address; a proxy's header only counts if the proxy is trusted. */
export type AddressOf = (env: Environment, header: (name: string) => string | undefined) => string | undefined
