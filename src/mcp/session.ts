import type { Holder } from '../shared/fair-map.ts'
import type { Backend } from './backend.ts'
import type { ChangeLog } from './change-log.ts'
import type { Confirmations } from './confirmations.ts'

/** How a person approves a destructive change. */
export type Approval =
  | { readonly status: 'approved' | 'declined' }
  /** No person can be asked; `how` says what would allow it. */
  | { readonly status: 'unavailable'; readonly how: string }

export interface ApprovalRequest {
  readonly sentence: string
  /** Identifies what is approved: operation, input and caller. */
  readonly fingerprint: string
}

/** What the tools work with: one process over standard input and output, or one request of a grant over HTTP. */
export interface McpSession {
  readonly backend: Backend
  /** The only account that it reaches. */
  readonly account?: { readonly id: string; readonly username: string } | undefined
  /** Why nothing can be changed; undefined if changes are allowed. */
  readonly readOnly?: string | undefined
  /** Whose confirmations these are: a process or a grant. */
  readonly caller: string
  /** Whose share its confirmations count towards: over HTTP, of all callers. */
  readonly holder?: Holder | undefined
  readonly client: () => string | undefined
  readonly confirmations: Confirmations
  readonly changes: ChangeLog
  readonly approve: (request: ApprovalRequest) => Promise<Approval>
}
