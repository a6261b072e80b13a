import type { HostParts } from '../parts/index.ts'
import type { AccountCore } from './account.ts'

/** An account's input to a driver: its desired state, read in one snapshot when the job runs. */
export type AccountState = AccountCore & { readonly parts: HostParts }
