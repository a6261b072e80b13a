import type {
  AccountName,
  AccountState,
  AccountUsage,
  ApplyResult,
  Belongings,
  HostArea,
  Order,
  ServerConfig,
} from './driver.ts'

export type { Order } from './driver.ts'

/** An account's desired state, and how new it is. */
export interface Desired {
  readonly order: Order
  readonly server: ServerConfig
  readonly account: AccountState
  /** All of them if absent. */
  readonly areas?: readonly HostArea[] | undefined
}

export interface HostOptions {
  readonly signal?: AbortSignal | undefined
  /** Told as the work goes on: one line for the job's log, and the share that is done, 0 to 1. */
  readonly progress?: (line: string, done: number) => void
  /** Told why the work waits, and when it goes on. */
  readonly waits?: (line: string) => void
}

/** Nothing was done: the host was told of a newer state of the account before. */
export const superseded = Symbol('superseded')
export type Superseded = typeof superseded

export interface RemovalOptions extends HostOptions {
  readonly belongings?: Belongings
}

/** The host as the panel reaches it: through its agent, which may be away. Every verb is safe to repeat. */
export interface HostClient {
  /** Makes the host match the account's state, whole or not at all. */
  apply(desired: Desired, options?: HostOptions): Promise<ApplyResult | Superseded>
  /** Takes an account off the host with what belongs to it, its home to the trash. */
  remove(account: AccountName, order: Order, options?: RemovalOptions): Promise<null | Superseded>
  /** Measures; an account that is not on the host measures zero. */
  usage(accounts: readonly AccountName[], options?: HostOptions): Promise<readonly AccountUsage[]>
  readonly status: HostStatus
}

export interface HostStatus {
  /** `idle`: not started, because nothing needs it. */
  readonly status: 'idle' | 'running' | 'unreachable'
  /** Why it cannot be reached. */
  readonly reason?: string
}
