import { and, eq, or } from 'drizzle-orm'
import type { FailedLogin, FailureTally } from '../../shared/failure-counter.ts'
import type { Db } from '../../store/open.ts'
import { accounts } from '../accounts/tables.ts'
import { domains } from '../domains/tables.ts'
import { mailboxes } from '../email/tables.ts'
import { ftpAccounts } from '../ftp/tables.ts'
import { MAX_SAMPLE } from './limits.ts'
import type { CountedService } from './services.ts'

export interface LoginsOf {
  /** Whose logins were tried. */
  readonly accounts: readonly string[]
  /** Whether no other ones were. */
  readonly onlyThere: boolean
  /** The first failures, in words. */
  readonly sample: readonly string[]
}

/** Whose the logins are at which an address failed. */
export function loginsOf(db: Db, { logins, more }: FailureTally<CountedService>): LoginsOf {
  const owned = logins.map((login) => ({ login, account: ownerOf(db, login) }))
  return {
    accounts: [...new Set(owned.flatMap(({ account }) => account ?? []))],
    onlyThere: !more && owned.length > 0 && owned.every(({ account }) => account !== undefined),
    sample: owned.slice(0, MAX_SAMPLE).map(({ login, account }) => inWords(login, account !== undefined)),
  }
}

/** A name that does not exist may be a mistyped password. */
const inWords = ({ service, name, count }: FailedLogin<CountedService>, isKnown: boolean): string =>
  `${service}: ${isKnown ? name : 'unknown name'} (${count})`

function ownerOf(db: Db, { service, name }: FailedLogin<CountedService>): string | undefined {
  const login = name.toLowerCase()
  if (service === 'ssh' || service === 'panel') return byUsername(db, login)
  if (service === 'ftp') return byUsername(db, login) ?? byAddress(db, ftpAccounts, login)
  return service === 'api' ? undefined : byAddress(db, mailboxes, login)
}

const byUsername = (db: Db, name: string): string | undefined =>
  db
    .select({ id: accounts.id })
    .from(accounts)
    .where(or(eq(accounts.username, name), eq(accounts.main_domain, name)))
    .get()?.id

function byAddress(db: Db, table: typeof mailboxes | typeof ftpAccounts, name: string): string | undefined {
  const at = name.lastIndexOf('@')
  if (at < 1) return undefined
  return db
    .select({ id: table.account_id })
    .from(table)
    .innerJoin(domains, eq(domains.id, table.domain_id))
    .where(and(eq(table.local, name.slice(0, at)), eq(domains.name, name.slice(at + 1))))
    .get()?.id
}
