import { type OperationId, operations } from '../../contract/index.ts'
import type { Declaration } from '../../contract/operation.ts'

/** Whose pages: an account's are below `/user` and `/admin/accounts/{account}`, the server's below `/admin`. */
export type PageScope = 'account' | 'server'

/** A page about something an account owns is among that account's pages. */
export function sideOf({ shows }: { readonly shows: OperationId }): PageScope {
  const { path, panel }: Declaration = operations[shows]
  return path.startsWith('/accounts/{id}') || panel === 'user' ? 'account' : 'server'
}
