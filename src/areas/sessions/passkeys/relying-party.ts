import { isIP } from 'node:net'
import { Problem } from '../../../contract/problem.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { resellerAt } from '../../resellers/brand/store.ts'

/** The host name that passkeys are bound to, and the pages that may ask for them. */
export interface RelyingParty {
  readonly id: string
  readonly origins: readonly string[]
}

/** The host name of the request, if browsers allow passkeys there: the server's own, or a brand's. */
export function relyingPartyOf({ caller, runtime, db }: Context): RelyingParty | undefined {
  if (!caller || caller.local || caller.selfSigned) return undefined
  const id = (caller.header('host') ?? '').replace(/:\d*$/, '').toLowerCase()
  const isOwn = id === runtime.hostname.toLowerCase() || resellerAt(db, id) !== undefined
  if (!isOwn || isIP(id) !== 0) return undefined
  return { id, origins: [`https://${id}`, `https://${id}:${new URL(runtime.baseUrl).port || 443}`] }
}

/** The same, or 409 `not-configured`. */
export function requireRelyingParty(ctx: Context): RelyingParty {
  const found = relyingPartyOf(ctx)
  if (!found)
    throw new Problem(
      'not-configured',
      "Passkeys need one of the server's host names and a certificate that browsers trust.",
    )
  return found
}
