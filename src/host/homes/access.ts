import type { AccountName } from '../account.ts'
import type { SavedHome } from '../backup/home.ts'
import type { HostFiles, MailboxUsage } from '../driver.ts'
import type { Size } from '../measure/walk.ts'

/** What a home holds, and what of that is mail. */
export interface HomeSize extends Size {
  readonly mailboxes: readonly MailboxUsage[]
}

/** The way into the homes of a host: in this process, or by one that has the rights of the home's owner. */
export interface HomeAccess {
  files(account: AccountName): HostFiles
  saved(account: AccountName): SavedHome
  measure(account: AccountName, signal?: AbortSignal): Promise<HomeSize>
}
