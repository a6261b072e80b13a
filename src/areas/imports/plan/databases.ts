import { eq } from 'drizzle-orm'
import type { SourceDatabase, SourceDatabaseUser } from '../../../host/contract/driver.ts'
import { MAX_DATABASE_NAME_LENGTH, MAX_USER_NAME_LENGTH, NAME_PATTERN } from '../../../shared/sql/names.ts'
import { type Collation, collations, type Granted, type Privilege, privileges } from '../../../shared/sql/privileges.ts'
import { databases as databaseRows, users as userRows } from '../../mysql/tables.ts'
import type { PlannedAccount } from './account.ts'
import { mapped, type Planning, refuseUnmapped, skips } from './planning.ts'

export interface PlannedDatabase {
  readonly from: string
  readonly name: string
  readonly collation: Collation
}

export interface PlannedUser {
  readonly from: string
  readonly name: string
  readonly hash: string | undefined
  readonly grants: readonly { readonly database: string; readonly privileges: Granted }[]
}

export interface PlannedDatabases {
  readonly databases: readonly PlannedDatabase[]
  readonly users: readonly PlannedUser[]
}

const DEFAULT_COLLATION: Collation = 'utf8mb4_unicode_ci'

/** Databases and their users; names without the account's prefix get it. */
export function planDatabases(at: Planning, account: PlannedAccount): PlannedDatabases {
  const { source } = at
  refuseUnmapped(
    at,
    'databases',
    source.databases.map(({ name }) => name),
  )
  refuseUnmapped(
    at,
    'database_users',
    source.databaseUsers.map(({ name }) => name),
  )
  if (skips(at, 'mysql')) return { databases: [], users: [] }
  const databases = source.databases.flatMap((one) => planDatabase(at, one, account))
  const users = source.databaseUsers.flatMap((one) => planUser(at, one, account, databases))
  return { databases, users }
}

function planDatabase(at: Planning, source: SourceDatabase, account: PlannedAccount): PlannedDatabase[] {
  const { report, ctx } = at
  const { name: from } = source
  const desired = mapped(at, 'databases', from)
  if (desired === null) {
    report.add('mysql', from, 'not_possible', 'left out by map.databases')
    return []
  }
  const name = nameIn(desired, at, account, MAX_DATABASE_NAME_LENGTH)
  const problem = name === undefined ? 'a database cannot have this name' : takenBy()
  if (problem !== undefined) report.add('mysql', from, 'conflict', problem, { fix: `--map databases:${from}=NAME` })
  if (source.refusedCount > 0) refuseStatements(at, source)
  if (name === undefined || problem !== undefined || source.refusedCount > 0) return []
  const collation = collations.find((one) => one === source.collation) ?? DEFAULT_COLLATION
  const about = `database with ${source.tables} tables${source.views > 0 ? `, ${source.views} views` : ''}`
  if (name === from) report.add('mysql', name, 'as_is', about)
  else
    report.add('mysql', name, 'changed', `${about}, renamed: set the name in the site's configuration`, {
      from,
      to: name,
    })
  if (source.collation !== undefined && collation !== source.collation)
    report.add(
      'mysql',
      `${name} collation`,
      'changed',
      'the collation of new tables; those of the dump keep their own',
      {
        from: source.collation,
        to: collation,
      },
    )
  for (const { kind, line } of source.left)
    report.add('mysql', `${from} line ${line}`, 'changed', `${kind} is passed over`, {
      file: `mysql/${from}.sql`,
      line,
    })
  return [{ from, name, collation }]

  function takenBy(): string | undefined {
    const there = ctx.db.select().from(databaseRows).where(eq(databaseRows.name, name!)).get()
    return there && `the database ${name} belongs to another account`
  }
}

function refuseStatements({ report }: Planning, { name, refused, refusedCount }: SourceDatabase): void {
  const listed = refused.map(({ kind, line }) => `${kind} (line ${line})`).join(', ')
  const more = refusedCount > refused.length ? ` and ${refusedCount - refused.length} more` : ''
  report.add('mysql', name, 'conflict', `its dump has statements that are not run: ${listed}${more}`, {
    file: `mysql/${name}.sql`,
    fix: `--map databases:${name}=null`,
  })
}

/** A name with the account's prefix in place of the former one; undefined where no name can be made of it. */
function nameIn(text: string, { source }: Planning, { prefix }: PlannedAccount, maxLength: number): string | undefined {
  const former = `${source.username}_`
  const short = `${source.username.slice(0, 8)}_`
  const own = [prefix, former, short].find((one) => text.startsWith(one))
  const rest = own === undefined ? text : text.slice(own.length)
  const name = `${prefix}${rest.toLowerCase().replaceAll(/[^a-z0-9_]/g, '_')}`
  return name.length <= maxLength && NAME_PATTERN.test(name) ? name : undefined
}

function planUser(
  at: Planning,
  source: SourceDatabaseUser,
  account: PlannedAccount,
  databases: readonly PlannedDatabase[],
): PlannedUser[] {
  const { report, ctx } = at
  const from = source.name
  const desired = from === at.source.username ? `${account.prefix}main` : mapped(at, 'database_users', from)
  if (desired === null || from === 'root' || from === '') {
    report.add('mysql', `user ${from}`, 'not_possible', 'left out')
    return []
  }
  const name = nameIn(desired, at, account, MAX_USER_NAME_LENGTH)
  const isTaken =
    name !== undefined && ctx.db.select().from(userRows).where(eq(userRows.name, name)).get() !== undefined
  if (name === undefined || isTaken) {
    const text = isTaken ? `the user ${name} belongs to another account` : 'a database user cannot have this name'
    report.add('mysql', `user ${from}`, 'conflict', text, { fix: `--map database_users:${from}=NAME` })
    return []
  }
  const hash = at.options.passwords === 'none' ? undefined : source.hash
  sayUser(at, source, name, hash)
  return [{ from, name, hash, grants: grantsOf(at, source, name, databases) }]
}

const whyLost = {
  native: 'passwords are left out',
  old: 'its hash is of MySQL before 4.1',
  sha2: 'its hash is of caching_sha2_password',
  none: 'the archive has no hash',
}

function sayUser(
  { report }: Planning,
  { name: from, hosts, hashKind, isSuspended }: SourceDatabaseUser,
  name: string,
  hash: string | undefined,
): void {
  if (name === from)
    report.add('mysql', `user ${name}`, 'as_is', `database user${isSuspended ? '; it was suspended' : ''}`)
  else
    report.add('mysql', `user ${name}`, 'changed', "database user, renamed: set the name in the site's configuration", {
      from,
      to: name,
    })
  if (hash === undefined)
    report.add('mysql', `user ${name} password`, 'not_possible', `needs a new password: ${whyLost[hashKind]}`, {
      fix: `panel mysql change-password ${name}`,
    })
  const others = hosts.filter((host) => host !== 'localhost')
  if (others.length > 0)
    report.add(
      'mysql',
      `user ${name} hosts`,
      'not_possible',
      `users connect from this server only; left out: ${others.join(', ')}`,
    )
}

/** A pattern is spread over the databases that it fits; what a user may not have here falls away. */
function grantsOf(
  at: Planning,
  source: SourceDatabaseUser,
  name: string,
  databases: readonly PlannedDatabase[],
): PlannedUser['grants'] {
  const grants = new Map<string, Granted>()
  for (const { database, privileges: had, grantOption } of source.grants) {
    const fits = databases.filter(({ from }) => matchesPattern(database, from))
    if (fits.length === 0)
      at.report.add('mysql', `user ${name} grants`, 'not_possible', 'rights on a database that does not come', {
        from: database,
      })
    const known: Granted = had.includes('ALL')
      ? ['ALL']
      : had.filter((one): one is Privilege => (privileges as readonly string[]).includes(one))
    if (grantOption)
      at.report.add('mysql', `user ${name} grants`, 'changed', 'GRANT OPTION falls away', { from: database })
    for (const { name: now } of fits) if (known.length > 0 && !grants.has(now)) grants.set(now, known)
  }
  return [...grants].map(([database, granted]) => ({ database, privileges: granted }))
}

/** `alice\_%`: `%` and `_` stand for anything, unless a backslash is before them. The time grows with both lengths alone. */
export function matchesPattern(pattern: string, name: string): boolean {
  const tokens = (pattern.match(/\\[%_\\]|./gsu) ?? []).map((one) => one.toLowerCase())
  const letters = [...name.toLowerCase()]
  let [at, from, restart, retry] = [0, 0, -1, 0]
  while (from < letters.length) {
    const token = tokens[at]
    if (token === '%') [restart, retry, at] = [++at, from, at]
    else if (token !== undefined && (token === '_' || token.replace(/^\\(?=.)/, '') === letters[from]))
      [at, from] = [at + 1, from + 1]
    else if (restart >= 0) [at, from] = [restart, ++retry]
    else return false
  }
  return tokens.slice(at).every((token) => token === '%')
}
