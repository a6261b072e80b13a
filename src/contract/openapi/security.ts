import type { Declaration } from '../operation.ts'
import type { Json } from './schemas.ts'

const prefixedCopy =
  'Over TLS the server sets a copy with the prefix `__Host-` too, which decides if it is sent. From a browser that does not send it, a session counts only at the address where it started.'

/** Authentication schemes (contract: Authentication). */
export const securitySchemes: Record<string, Json> = {
  token: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'pnl_…',
    description: 'An API token. `x-panel` says which token areas reach an operation.',
  },
  admin: {
    type: 'apiKey',
    in: 'cookie',
    name: 'panel_admin',
    description: `A session of the admin panel: root and resellers. ${prefixedCopy}`,
  },
  user: {
    type: 'apiKey',
    in: 'cookie',
    name: 'panel_user',
    description: `A session of the customer panel. ${prefixedCopy}`,
  },
  csrf: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CSRF-Token',
    description: 'The `csrf_token` of the session; required in every request except GET.',
  },
}

const session = (op: Declaration, panel: 'admin' | 'user'): Json =>
  op.method === 'get' ? { [panel]: [] } : { [panel]: [], csrf: [] }

const takesToken = ({ token }: Declaration) => token.admin !== 'none' || token.account !== 'none'

function panelsOf({ allow, panel }: Declaration): ('admin' | 'user')[] {
  if (panel) return [panel]
  return typeof allow === 'object' && !allow.customer ? ['admin'] : ['admin', 'user']
}

/** The credentials that a caller needs, one of these. */
export function securityOf(op: Declaration): Json[] {
  if (op.allow === 'anyone') return []
  const token = takesToken(op) ? [{ token: [] }] : []
  if (op.allow === 'token') return token
  return [...token, ...panelsOf(op).map((panel) => session(op, panel))]
}
