import type { SavedHome } from '../backup/home.ts'
import type { AccountName } from '../contract/account.ts'
import type { HostFiles, MailboxUsage } from '../contract/driver.ts'
import type { Size } from '../measure/walk.ts'

/** A home's size, and its mail's share of it. */
export interface HomeSize extends Size {
  readonly mailboxes: readonly MailboxUsage[]
}

/** Access to a host's homes: in this process, or through one with the privileges of the home's owner. */
export interface HomeAccess {
  files(account: AccountName): HostFiles
  saved(account: AccountName): SavedHome
  measure(account: AccountName, signal?: AbortSignal): Promise<HomeSize>
  /** Gives back to its owner what earlier versions made root's. */
  reclaim(account: AccountName, signal?: AbortSignal): Promise<number>
}
