import { authenticateToken } from '../areas/index.ts'
import { invalid } from '../contract/problem.ts'
import type { Actor } from '../runtime/actor.ts'
import { unauthenticated } from '../runtime/authorize.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { getSetting } from '../runtime/settings.ts'

/** What a request says of who sends it. */
export interface Credentials {
  readonly local: boolean
  readonly address: string | undefined
  header(name: string): string | undefined
}

/** Who sends it: a token before anything else, then whoever opened the local socket. Nobody: undefined. */
export function authenticate(runtime: Runtime, credentials: Credentials): Actor | undefined {
  const { local, address } = credentials
  const authorization = credentials.header('authorization')
  if (authorization !== undefined) return authenticateToken(runtime, bearer(authorization), address)
  return local ? localRoot(runtime) : undefined
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
    if (proxied.test(name)) throw invalid(name, 'is refused on the local socket: no proxy may point here')
}
