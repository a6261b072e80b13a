import type { AccountName, ServerConfig } from '../account.ts'
import type { AccountState } from '../account-state.ts'
import { checkAccount, checkAccountName, checkServer } from '../check.ts'
import { checked, complete, object, type Schema, text } from '../fields.ts'

/** A node has a user id for each account, from 20000 to 59999; few accounts have more than one app. */
export const MAX_ACCOUNTS = 40_000
/** In a command about several. */
export const MAX_ACCOUNTS_AT_ONCE = 1000

export const accountName = checked<AccountName>(checkAccountName)
export const accountState = checked<AccountState>(checkAccount)
export const serverConfig = checked<ServerConfig>(checkServer)

/** A day in UTC, `2031-12-31`. */
export const day = text(/^\d{4}-\d{2}-\d{2}$/)

/** Without a limit. */
export const anyCount = complete(0, Number.MAX_SAFE_INTEGER)

/** The input of a command that takes none. */
export const nothing = (of: string) => object({}, of) as Schema<Readonly<Record<string, never>>>

/** Valid once and for a minute. */
export const ticket = text(/^[0-9a-f]{32}$/)
