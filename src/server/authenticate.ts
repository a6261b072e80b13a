import type { Declaration } from '../contract/operation.ts'
import { invalid } from '../contract/problem.ts'
import type { Actor } from '../runtime/operations/actor.ts'
import { unauthenticated } from '../runtime/operations/authorize.ts'
import type { Caller } from '../runtime/operations/context.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { getSetting } from '../runtime/settings/settings.ts'

/** Authenticates by token, then local socket, then session; undefined without credentials. */
export function authenticate(runtime: Runtime, op: Declaration, caller: Caller): Actor | undefined {
  const authorization = caller.header('authorization')
  if (authorization !== undefined)
    return runtime.ports.authenticateToken(runtime, bearer(authorization), caller.address)
  return caller.local ? localRoot(runtime) : runtime.ports.authenticateSession(runtime, op, caller)
}

function bearer(authorization: string): string {
  const match = /^Bearer +([^\s]+) *$/i.exec(authorization)
  if (!match) throw unauthenticated('The Authorization header must be `Bearer <token>`.')
  return match[1]!
}

function localRoot(runtime: Runtime): Actor {
  return { type: 'root', id: getSetting(runtime.store.db, 'root_id')!, name: 'root', via: 'cli' }
}

const proxied = /^(forwarded|via|x-forwarded-.*)$/i

/** The local socket makes its opener root: a proxy must never point at it. */
export function refuseProxied(headerNames: Iterable<string>): void {
  for (const name of headerNames)
    if (proxied.test(name)) throw invalid(name, 'is refused on the local socket: a proxy must not forward to it')
}
