import { Problem } from '../../contract/problem.ts'
import type { FoundAccount } from '../accounts/objects/find-account.ts'

/** The account, unless sign-in is refused for it: 409 `suspended`. */
export function reachable(account: FoundAccount): FoundAccount {
  if (account.suspended_at !== null) throw new Problem('suspended', `${account.username} is suspended.`)
  return account
}
