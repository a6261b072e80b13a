import { isIP } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { invalid } from '../contract/problem.ts'
import { canonicalAddress } from '../runtime/operations/address.ts'
import type { Caller } from '../runtime/operations/context.ts'
import { refuseProxied } from './authenticate.ts'
import { openedAt } from './connections.ts'
import { cookieIn, hasPrefixed } from './cookies.ts'
import type { C } from './environment.ts'
import type { AppOptions } from './options.ts'

export function callerOf(c: C, options: AppOptions): Caller {
  if (c.env.local) refuseProxied(headerNames(c))
  return {
    local: c.env.local === true,
    address: c.env.local ? undefined : addressOf(c, options),
    connectedAt: openingOf(c),
    selfSigned: showsOwnCertificate(c, options) && options.pin() !== undefined,
    header: (name) => c.req.header(name),
    cookie: (name) => cookieIn(cookiesOf(c), name, isSecure(c, options)),
    mayBeForeign: (name) => isSecure(c, options) && isBrowser(c) && !hasPrefixed(cookiesOf(c), name),
  }
}

/** nginx keeps its own connections. */
const openingOf = ({ env: { front, incoming } }: C): number | undefined =>
  front || !incoming ? undefined : openedAt(incoming.socket)

const cookiesOf = (c: C): string => c.req.header('cookie') ?? ''

/** Over TLS, browsers send this header with every request. */
const isBrowser = (c: C): boolean => c.req.header('sec-fetch-site') !== undefined

/** Whether the client uses TLS, as far as this server or a trusted proxy saw. */
export function isSecure(c: C, { trusts }: AppOptions): boolean {
  const socket = c.env.incoming?.socket as TLSSocket | undefined
  if (c.env.front || socket?.encrypted) return true
  const peer = peerOf(c)
  if (c.env.local || peer === undefined || !trusts(canonicalAddress(peer))) return false
  return c.req.header('x-forwarded-proto')?.split(',').at(-1)?.trim().toLowerCase() === 'https'
}

/** Unless nginx or a trusted proxy presents theirs. */
function showsOwnCertificate(c: C, { trusts }: AppOptions): boolean {
  const peer = peerOf(c)
  return !c.env.front && (peer === undefined || !trusts(canonicalAddress(peer)))
}

const peerOf = (c: C): string | undefined => c.env.incoming?.socket.remoteAddress ?? c.env.address

const headerNames = (c: C): Iterable<string> =>
  c.env.incoming ? Object.keys(c.env.incoming.headers) : c.req.raw.headers.keys()

/** The nearest address that is not a trusted proxy: only trusted proxies may name their client. */
function addressOf(c: C, { trusts }: AppOptions): string | undefined {
  const forwarded = c.req.header('x-forwarded-for')?.split(',') ?? []
  const peer = c.env.front ? seenByNginx(forwarded) : peerOf(c)
  if (peer === undefined) return undefined
  let nearest = canonicalAddress(peer)
  while (trusts(nearest) && forwarded.length > 0) nearest = canonicalAddress(forwarded.pop()!.trim())
  return nearest
}

/** The address that nginx saw; anything before it is the client's own claim. */
function seenByNginx(forwarded: string[]): string {
  const address = forwarded.pop()?.trim() ?? ''
  if (isIP(address) === 0) throw invalid('X-Forwarded-For', 'must end with an address on this socket')
  return address
}
