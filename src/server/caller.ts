import { isIP } from 'node:net'
import type { Context } from 'hono'
import { invalid } from '../contract/problem.ts'
import { canonicalAddress } from '../runtime/address.ts'
import type { Caller } from '../runtime/context.ts'
import { refuseProxied } from './authenticate.ts'
import type { Environment } from './environment.ts'
import type { AppOptions } from './options.ts'

type C = Context<{ Bindings: Environment }>

export function callerOf(c: C, options: AppOptions): Caller {
  if (c.env.local) refuseProxied(headerNames(c))
  return {
    local: c.env.local === true,
    address: c.env.local ? undefined : addressOf(c, options),
    header: (name) => c.req.header(name),
    cookie: (name) => onlyCookie(c.req.header('cookie') ?? '', name),
  }
}

const headerNames = (c: C): Iterable<string> =>
  c.env.incoming ? Object.keys(c.env.incoming.headers) : c.req.raw.headers.keys()

/** The nearest address that is not a trusted proxy: only trusted proxies may name their client. */
function addressOf(c: C, { trusts }: AppOptions): string | undefined {
  const forwarded = c.req.header('x-forwarded-for')?.split(',') ?? []
  const peer = c.env.front ? seenByNginx(forwarded) : (c.env.incoming?.socket.remoteAddress ?? c.env.address)
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

/**
 * Returns a cookie unless it was sent twice. Sites on other ports of this host can set cookies here: of two with the
 * same name, nothing tells which one was planted.
 */
function onlyCookie(header: string, name: string): string | undefined {
  const sent = header.split(/; */).filter((pair) => pair.startsWith(`${name}=`))
  return sent.length === 1 ? sent[0]!.slice(name.length + 1) : undefined
}
