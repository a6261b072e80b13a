import { type OperationId, operations } from '../../contract/index.ts'
import type { Declaration } from '../../contract/operation.ts'

/** Whose pages: an account's lie below `/user` and `/admin/accounts/{account}`, the server's below `/admin`. */
export type Side = 'account' | 'server'

/** A page about what belongs to an account is among the pages of that account. */
export function sideOf({ shows }: { readonly shows: OperationId }): Side {
  const { path, panel }: Declaration = operations[shows]
  return path.startsWith('/accounts/{id}') || panel === 'user' ? 'account' : 'server'
}
