import type { Column } from '../table.ts'
import type { Context } from '../target/target.ts'

/** The non-secret fields of a saved server. */
export interface PublicContext {
  readonly [field: string]: unknown
  readonly name: string
  readonly url: string
  readonly current: boolean
  readonly user?: string
  /** `session`, `token`, `socket`, or `nothing` after a sign-out. */
  readonly signed_in_by: string
}

export const publicFields: readonly Column[] = [
  { field: 'name' },
  { field: 'url' },
  { field: 'current' },
  { field: 'user' },
  { field: 'signed_in_by' },
  { field: 'expires_at', kind: 'time' },
  { field: 'fingerprint' },
  { field: 'ca' },
]

export function publicPart(name: string, context: Context, current: boolean): PublicContext {
  const { url, session, token, pin, ca } = context
  const user = session?.username ?? context.user
  return {
    name,
    url,
    current,
    ...(user !== undefined && { user }),
    signed_in_by: session ? 'session' : token ? 'token' : 'nothing',
    ...(session?.expires_at !== undefined && { expires_at: session.expires_at }),
    ...(pin && { fingerprint: pin }),
    ...(ca && { ca }),
  }
}
