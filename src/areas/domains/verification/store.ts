import { and, asc, count, eq, lte, or, type SQL, sql } from 'drizzle-orm'
import type { VerificationMethod } from '../../../contract/common.ts'
import type { Context, Writes } from '../../../runtime/operations/context.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { Db } from '../../../store/open.ts'
import { prepared } from '../../../store/prepared.ts'
import { insertInto, update } from '../../../store/rows.ts'
import { parentsOf } from '../../accounts/operations/names.ts'
import { type DomainRow, domains } from '../tables.ts'
import { FIRST_LOOK_LIMIT_MS, MIN_LOOK_INTERVAL_MS, NOTICE_DELAY_MS, RELEASED_LIMIT_MS } from './schedule.ts'
import { claimedNames, lostNames, releasedNames, type VerificationRow, verifications } from './tables.ts'

declare module '../../../runtime/runtime.ts' {
  interface Signals {
    /** A domain may be due for a look. */
    verification: []
  }
}

type DomainNode = Pick<DomainRow, 'id' | 'kind' | 'parent_id'>

const insert = insertInto(verifications, 'ON CONFLICT (domain_id) DO NOTHING')
const write = update(verifications, 'domain_id = ?')
const writeFirst = update(verifications, 'account_id = ? AND started_at IS NULL AND verified_by IS NULL')

const queries = prepared((db: Db) => ({
  byId: db
    .select()
    .from(verifications)
    .where(eq(verifications.domain_id, sql.placeholder('id')))
    .prepare(),
  unverified: db
    .select({ total: count() })
    .from(verifications)
    .where(and(eq(verifications.account_id, sql.placeholder('account')), sql`${verifications.verified_by} IS NULL`))
    .prepare(),
  released: db
    .select()
    .from(releasedNames)
    .where(eq(releasedNames.name, sql.placeholder('name')))
    .prepare(),
  claimed: db
    .select()
    .from(claimedNames)
    .where(eq(claimedNames.name, sql.placeholder('name')))
    .prepare(),
  due: db
    .select({ row: verifications, domain: domains })
    .from(verifications)
    .innerJoin(domains, eq(domains.id, verifications.domain_id))
    .where(lte(verifications.next_check_at, sql.placeholder('now')))
    .orderBy(asc(verifications.next_check_at))
    .limit(sql`${sql.placeholder('limit')} + 0` as unknown as number)
    .prepare(),
  earliest: db
    .select({ at: verifications.next_check_at })
    .from(verifications)
    .where(sql`${verifications.next_check_at} IS NOT NULL`)
    .orderBy(asc(verifications.next_check_at))
    .limit(1)
    .prepare(),
}))

/** The id of the domain whose verification counts: of a subdomain the one above. */
const verifiedId = ({ id, kind, parent_id }: DomainNode): string => (kind === 'sub' ? parent_id! : id)

export const verificationOf = (db: Db, domain: DomainNode): VerificationRow | undefined =>
  queries(db).byId.get({ id: verifiedId(domain) })

export const setVerification = ({ store }: Writes, id: string, values: Partial<VerificationRow>): void =>
  void write(store.sqlite, values, id)

/** What showed that a domain is its account's; undefined if nothing did. */
export function verifiedBy(db: Db, domain: DomainNode): VerificationMethod | undefined {
  const by = verificationOf(db, domain)?.verified_by ?? undefined
  return by && domain.kind === 'sub' ? 'parent' : by
}

export const isVerified = (db: Db, domain: DomainNode): boolean => verifiedBy(db, domain) !== undefined

/** Matches domains that are verified, or that are not. */
export const verifiedIs = (requested: boolean): SQL =>
  sql`EXISTS (SELECT 1 FROM domain_verifications AS proof WHERE proof.verified_by IS NOT NULL
    AND proof.domain_id = CASE ${domains.kind} WHEN 'sub' THEN ${domains.parent_id} ELSE ${domains.id} END) = ${Number(requested)}`

/** How many unverified domains an account has, subdomains not counted. */
export const countUnverified = (db: Db, account: string): number => queries(db).unverified.get({ account })!.total

const unlooked = { ns: [], mx: [], addresses: [] }

/** What a name that is new to its account begins with. */
function firstState({ db, now }: Pick<Context, 'db' | 'now'>, { name, account_id }: DomainRow) {
  return {
    verified_by: null,
    verified_at: null,
    challenge_only: wasReleased(db, name, account_id, now),
    started_at: null,
    checked_at: null,
    next_check_at: now + FIRST_LOOK_LIMIT_MS,
    reason: `${name} has not been looked at yet.`,
    found: unlooked,
    is_delegated: null,
    public_routing: null,
    missing_since: null,
    notice_at: now + NOTICE_DELAY_MS,
  } satisfies Partial<VerificationRow>
}

/** Every name is unverified at first. */
export function startVerification(ctx: Pick<Context, 'store' | 'db' | 'now'>, domain: DomainRow): void {
  if (domain.kind === 'sub') return
  insert(ctx.store.sqlite, { domain_id: domain.id, account_id: domain.account_id, ...firstState(ctx, domain) })
}

/** For a domain whose name has changed. */
export function restartVerification(ctx: Pick<Context, 'store' | 'db' | 'now'>, domain: DomainRow): void {
  if (domain.kind !== 'sub') setVerification(ctx, domain.id, firstState(ctx, domain))
}

/** The account's job has ended: its new names are looked at now. */
export function startLooks({ store, runtime, now }: Pick<Context, 'store' | 'runtime' | 'now'>, account: string): void {
  if (writeFirst(store.sqlite, { started_at: now, next_check_at: now }, account) > 0) wakeAfter(runtime)
}

export const wakeAfter = ({ store, signals }: Pick<Runtime, 'store' | 'signals'>): void =>
  store.afterCommit(() => signals.emit('verification'))

/** Has a domain looked at soon, at most once a minute; not before its creation has ended. */
export function requestLook(ctx: Pick<Context, 'store' | 'db' | 'runtime' | 'now'>, domain: DomainNode): void {
  const row = verificationOf(ctx.db, domain)
  if (!row || (row.started_at === null && row.verified_by === null)) return
  const at = Math.max(ctx.now, (row.checked_at ?? 0) + MIN_LOOK_INTERVAL_MS)
  if (row.next_check_at !== null && row.next_check_at <= at) return
  setVerification(ctx, row.domain_id, { next_check_at: at })
  wakeAfter(ctx.runtime)
}

/** A mailbox would wait for mail: the notice appears at once. */
export function warnNow(ctx: Pick<Context, 'store' | 'db' | 'now'>, domain: DomainNode): void {
  const row = verificationOf(ctx.db, domain)
  if (row && row.verified_by === null && (row.notice_at === null || row.notice_at > ctx.now))
    setVerification(ctx, row.domain_id, { notice_at: ctx.now })
}

export interface Due {
  readonly row: VerificationRow
  readonly domain: DomainRow
}

export const dueLooks = (db: Db, now: number, limit: number): Due[] => queries(db).due.all({ now, limit })
export const earliestLook = (db: Db): number | undefined => queries(db).earliest.get()?.at ?? undefined

/** Remembers the names of an account that is being terminated. */
export function releaseNames({ db, now }: Pick<Context, 'db' | 'now'>, account_id: string): void {
  db.delete(releasedNames)
    .where(lte(releasedNames.released_at, now - RELEASED_LIMIT_MS))
    .run()
  const names = db
    .select({ name: domains.name })
    .from(domains)
    .where(and(eq(domains.account_id, account_id), sql`${domains.kind} <> 'sub'`))
    .all()
  for (const { name } of names)
    db.insert(releasedNames)
      .values({ name, account_id, released_at: now })
      .onConflictDoUpdate({ target: releasedNames.name, set: { account_id, released_at: now } })
      .run()
}

/** Delegations of a name that another account had still lead here, and with them all names below. */
const wasReleased = (db: Db, name: string, account: string, now: number): boolean =>
  [name, ...parentsOf(name)].some((one) => {
    const row = queries(db).released.get({ name: one })
    return row !== undefined && row.account_id !== account && row.released_at > now - RELEASED_LIMIT_MS
  })

/** The account that a claimed name is reserved for. */
export function claimant(db: Db, name: string, now: number): string | undefined {
  const row = queries(db).claimed.get({ name })
  return row && row.until > now ? row.account_id : undefined
}

export function reserveFor({ db, now }: Pick<Context, 'db' | 'now'>, name: string, account_id: string, until: number) {
  db.delete(claimedNames)
    .where(or(lte(claimedNames.until, now), eq(claimedNames.name, name)))
    .run()
  db.insert(claimedNames).values({ name, account_id, until }).run()
}

/** Tells the former holder of a claimed name. */
export const noteLost = ({ db, now }: Pick<Context, 'db' | 'now'>, { id, name, account_id }: DomainRow): void =>
  void db.insert(lostNames).values({ domain_id: id, name, account_id, lost_at: now }).onConflictDoNothing().run()
