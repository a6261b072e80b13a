import { FIRST_ACCOUNT_UID, LAST_ACCOUNT_UID } from '../../shared/account-uids.ts'
import { MAX_DOMAIN_LENGTH, MAX_HOSTNAME_LENGTH } from '../../shared/patterns.ts'
import { MAX_DATABASE_NAME_LENGTH, MAX_USER_NAME_LENGTH, NAME_PATTERN } from '../../shared/sql/names.ts'
import { type AnyPart, parts } from '../parts/index.ts'
import type { AccountCore, AccountName, Belongings, ServerConfig } from './account.ts'
import type { AccountState } from './account-state.ts'
import { HostError } from './error.ts'
import { complete, either, fields, ipAddress, knowsAll, listOf, optional, patterns, text, yesOrNo } from './fields.ts'

const names = {
  id: text(patterns.id),
  username: text(patterns.username),
  uid: complete(FIRST_ACCOUNT_UID, LAST_ACCOUNT_UID),
  mainDomain: text(patterns.domain, MAX_DOMAIN_LENGTH),
}

/** Refuses server settings that are not safe in a configuration file. */
export const checkServer = fields<ServerConfig>(
  {
    hostname: text(patterns.hostname, MAX_HOSTNAME_LENGTH),
    nameservers: listOf(text(patterns.domain, MAX_HOSTNAME_LENGTH), 16),
    mysqlPublic: optional(yesOrNo),
  },
  'a server',
)

/** Refuses an account whose names do not give it a place of its own. All paths are built from these values. */
export const checkAccountName = fields<AccountName>(names, "an account's name")

const maxOfEach = 100_000

/** Refuses the names of the server itself, and invalid ones. */
export const checkBelongings = fields<Belongings>(
  {
    databases: listOf(text(NAME_PATTERN, MAX_DATABASE_NAME_LENGTH), maxOfEach),
    databaseUsers: listOf(text(NAME_PATTERN, MAX_USER_NAME_LENGTH), maxOfEach),
  },
  "an account's belongings",
)

const checkCore = fields<AccountCore>(
  {
    ...names,
    formerUsername: optional(text(patterns.username)),
    contactEmail: either('', text(patterns.contact)),
    ipAddress,
    shell: text(patterns.shell),
    suspended: yesOrNo,
  },
  'an account',
)

/** Refuses, and never escapes, a value that could be misinterpreted where it is written. */
export function checkAccount(account: AccountState): void {
  const { parts: states, ...core } = account ?? {}
  checkCore(core)
  if (typeof states !== 'object' || states === null) throw new HostError('stage', 'The state of the parts is missing.')
  const all: Readonly<Record<string, unknown>> = states
  knowsAll(
    Object.keys(all),
    parts.map(({ name }) => name),
    'part of an account',
  )
  for (const part of parts as readonly AnyPart[]) part.check(all[part.name])
}
