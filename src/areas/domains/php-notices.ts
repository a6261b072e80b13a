import { and, desc, eq, inArray, ne, type SQL, sql } from 'drizzle-orm'
import { phpEndOfLife } from '../../contract/php.ts'
import type { Db } from '../../store/open.ts'
import type { NoticeData, NoticeScope, Notices } from '../accounts/objects/notice.ts'
import { accounts } from '../accounts/tables.ts'
import { nodes } from '../nodes/tables.ts'
import { dismissals } from '../notices/tables.ts'
import { defaultPhp } from '../php/store.ts'
import { domains } from './tables.ts'

const kind = 'php-end-of-life'
const DAY_MS = 86_400_000

/** When it began to get no more fixes. */
const endedAt = (version: string): number => Date.parse(phpEndOfLife[version]!) + DAY_MS
const endedBy = (now: number): string[] => Object.keys(phpEndOfLife).filter((version) => endedAt(version) <= now)

const chosen = sql<string>`json_extract(${domains.rules}, '$.php_version')`

const inScope = ({ account, owner }: NoticeScope): (SQL | undefined)[] => [
  account === undefined ? undefined : eq(accounts.id, account),
  owner === undefined ? undefined : eq(accounts.owner_id, owner),
]

const isUndismissed = (version: string): SQL =>
  sql`NOT EXISTS (SELECT 1 FROM ${dismissals} AS dismissed WHERE dismissed.kind = ${kind}
    AND dismissed.object_id = ${accounts.id} AND dismissed.since >= ${endedAt(version)})`

interface ConcernedAccount {
  readonly id: string
  readonly name: string
}

/** Accounts with a domain for which this version was chosen. */
const choosing = (db: Db, version: string, scope: NoticeScope): ConcernedAccount[] =>
  db
    .selectDistinct({ id: accounts.id, name: accounts.username })
    .from(domains)
    .innerJoin(accounts, eq(accounts.id, domains.account_id))
    .where(
      and(
        sql`${chosen} IS NOT NULL`,
        eq(chosen, version),
        ne(domains.status, 'deleting'),
        isUndismissed(version),
        ...inScope(scope),
      ),
    )
    .orderBy(desc(accounts.id))
    .limit(scope.limit)
    .all()

/** Accounts whose main domain has the default of a node. */
const withDefault = (db: Db, version: string, on: readonly string[], scope: NoticeScope): ConcernedAccount[] =>
  db
    .select({ id: accounts.id, name: accounts.username })
    .from(accounts)
    .innerJoin(domains, and(eq(domains.account_id, accounts.id), sql`${domains.kind} = 'main'`))
    .where(and(inArray(accounts.node, [...on]), sql`${chosen} IS NULL`, isUndismissed(version), ...inScope(scope)))
    .orderBy(desc(accounts.id))
    .limit(scope.limit)
    .all()

function usersOf(db: Db, version: string, scope: NoticeScope): ConcernedAccount[] {
  const names = db.select({ name: nodes.name }).from(nodes).all()
  const on = names.map(({ name }) => name).filter((name) => defaultPhp(db, name) === version)
  const found = [...choosing(db, version, scope), ...(on.length > 0 ? withDefault(db, version, on, scope) : [])]
  return [...new Map(found.map((one) => [one.id, one])).values()].slice(0, scope.limit)
}

/** Accounts with a version of PHP that gets no more fixes, once for each version. */
export const endOfLifeNotices: Notices = ({ db, now }, scope) =>
  endedBy(now).flatMap((version) =>
    usersOf(db, version, scope).map(
      ({ id, name }): NoticeData => ({
        kind,
        severity: 'warn',
        object: 'account',
        object_id: id,
        name,
        detail: `PHP ${version} has had no security fixes since ${phpEndOfLife[version]}. Choose a newer version for the domains that use it.`,
        since: endedAt(version),
        operation: 'updateDomain',
        account_id: id,
      }),
    ),
  )
