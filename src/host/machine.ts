import type { AccountName, AccountState } from './driver.ts'
import type { Checks } from './install/engine.ts'
import type { Plan } from './install/plan.ts'
import type { Owners } from './owners.ts'

/** What a real machine does besides holding files: its users, its checks and its daemons. Every step is safe to repeat. */
export interface Machine {
  readonly owners: Owners
  readonly checks: Checks
  /** Before an account's files are made. */
  makeUser(account: AccountState): Promise<void>
  /** Makes what lies in a home, as its owner. */
  fillHome(account: AccountState, plan: Plan): Promise<void>
  /** After an account's files have changed: its units, and the daemons that read them. */
  settle(account: AccountName, plans: readonly Plan[]): Promise<void>
  /** Before an account is taken away: nothing of it may run. */
  stop(account: AccountName): Promise<void>
  /** After that. */
  forget(account: AccountName, plan: Plan): Promise<void>
}
