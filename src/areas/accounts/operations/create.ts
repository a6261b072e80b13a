import type { createAccount as declared } from '../../../contract/accounts.ts'
import type { Input } from '../../../contract/operation.ts'
import { invalid, Problem, type ProblemFields, ProblemList } from '../../../contract/problem.ts'
import { turnOfCaller } from '../../../runtime/jobs/shares.ts'
import { isRoot } from '../../../runtime/operations/actor.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Handler } from '../../../runtime/operations/run.ts'
import { hashPassword } from '../../../runtime/security/password.ts'
import { getSetting } from '../../../runtime/settings/settings.ts'
import { insertInto } from '../../../store/rows.ts'
import { needOf } from '../../nodes/need.ts'
import { placeAccount } from '../../nodes/placement.ts'
import { takeUid } from '../../nodes/store.ts'
import { usablePackage } from '../../packages/store.ts'
import type { PackageRow } from '../../packages/tables.ts'
import { limitsOfPackage } from '../limits/limits.ts'
import { refuseBeyondPrivileges } from '../limits/reseller-limits.ts'
import { withJob } from '../list/json.sql.ts'
import { partsOf, refuseGrant } from '../objects/part.ts'
import { accountById, type FullAccount, nameOf } from '../store.ts'
import { accounts } from '../tables.ts'
import { chooseIp, chooseIp6 } from './choose-ip.ts'
import { contactProblem, databasePrefix, domainProblem, lowerAscii, pastedToAscii, usernameProblem } from './names.ts'

type Op = typeof declared

/** Creates the account's row; its job creates it on the host. */
export const createAccount: Handler<Op, string | null> = {
  prepare: async (ctx, { body }) =>
    body.password === undefined ? null : hashPassword(body.password, turnOfCaller(ctx)),
  handle(ctx, { body }, password_hash) {
    const id = addAccount(ctx, body, password_hash)
    return withJob(ctx, id, announce(ctx, id))
  },
}

/** What an import decides about its account. */
export interface Imported {
  readonly uid: number
  readonly db_prefix: string
  readonly importing_since: number
}

/** Returns the id of a new account, without emitting its event. */
export function addAccount(
  ctx: Context,
  body: Input<Op>['body'],
  password_hash: string | null,
  imported?: Imported,
): string {
  const problems = new ProblemList()
  problems.check(() => refuseInvalid(ctx, body))
  const owner_id = problems.check(() => ownerOf(ctx, body))
  const plan = problems.check(() => usablePackage(ctx, body.package_id))
  const place = plan && problems.check(() => placeFor(ctx, body, plan))
  if (plan && owner_id !== undefined)
    problems.check(() => refuseGrant(ctx, { owner_id, limits: limitsOfPackage(plan) }))
  problems.refuse()
  const { node, ...addresses } = place!
  const id = ctx.id()
  const names = { ...namesFor(ctx, body, node, imported), importing_since: imported?.importing_since ?? null }
  insert(ctx, { id, ...names, ...addresses, owner_id: body.owns_itself ? id : owner_id!, password_hash }, body, plan!)
  return id
}

/** Where it is to be: its node, and its addresses there. */
function placeFor(ctx: Context, body: Input<Op>['body'], plan: PackageRow) {
  refuseBeyondPrivileges(ctx, { values: body.shell === undefined ? {} : { shell: body.shell }, plan })
  const node = nodeFor(ctx, body, plan)
  const ip = chooseIp(ctx, { node, id: body.ip_id, dedicated: plan.dedicated_ip })
  return { node, ip_id: ip.id, ip6_id: chooseIp6(ctx, { node, id: body.ip6_id }, ip) }
}

interface AccountNames {
  readonly username: string
  readonly main_domain: string
  readonly node: string
  readonly uid: number
  readonly db_prefix: string
}

function refuseInvalid(ctx: Context, body: Input<Op>['body']): void {
  const problems = {
    username: usernameProblem(ctx, lowerAscii(body.username)),
    domain: domainProblem(ctx, body.domain),
    contact_email: contactProblem(body.contact_email ?? ''),
  }
  const fields: ProblemFields = Object.fromEntries(
    Object.entries(problems).filter(([, problem]) => problem !== undefined),
  ) as ProblemFields
  if (Object.keys(fields).length > 0) throw new Problem('validation', sentence(fields), fields)
}

function namesFor(ctx: Context, body: Input<Op>['body'], node: string, imported: Imported | undefined): AccountNames {
  const username = lowerAscii(body.username)
  const uid = imported?.uid ?? takeUid(ctx.db, node)
  const db_prefix = imported?.db_prefix ?? databasePrefix(ctx, username, uid)
  if (!db_prefix) throw invalid('username', 'starts like too many other usernames; choose another')
  return { username, node, uid, db_prefix, main_domain: pastedToAscii(body.domain)! }
}

function nodeFor(ctx: Context, body: Input<Op>['body'], plan: PackageRow): string {
  const node = placeAccount(ctx, needOf(plan), body.node)
  for (const field of ['mail_node', 'database_node'] as const)
    if ((body[field] ?? node) !== node) throw invalid(field, `must be the account's node, ${node}`)
  return node
}

const sentence = (fields: ProblemFields): string =>
  Object.entries(fields)
    .map(([name, problem]) => `${name} ${problem}`)
    .join('; ')

function ownerOf(ctx: Context, body: Input<Op>['body']): string {
  if (body.owns_itself && !body.make_reseller) throw invalid('owns_itself', 'needs make_reseller')
  if (body.make_reseller && !isRoot(ctx.actor)) throw invalid('make_reseller', 'only root can create resellers')
  const owner = body.owner_id ?? (isRoot(ctx.actor) ? getSetting(ctx.db, 'root_id')! : ctx.actor.id)
  if (owner !== ctx.actor.id && !mayOwn(ctx, owner)) throw invalid('owner_id', 'must be root or a reseller')
  return owner
}

function mayOwn(ctx: Context, owner: string): boolean {
  if (!isRoot(ctx.actor)) return false
  return owner === getSetting(ctx.db, 'root_id') || (accountById(ctx.db, owner)?.reseller ?? null) !== null
}

const insertAccount = insertInto(accounts)

function insert(
  ctx: Context,
  made: AccountNames & {
    id: string
    ip_id: string
    ip6_id: string | null
    owner_id: string
    password_hash: string | null
    importing_since: number | null
  },
  body: Input<Op>['body'],
  plan: PackageRow,
): void {
  insertAccount(ctx.store.sqlite, {
    ...made,
    password_changed_at: made.password_hash === null ? null : ctx.now,
    contact_email: body.contact_email ?? '',
    mail_node: made.node,
    database_node: made.node,
    package_id: plan.id,
    home_dir: `/home/${made.username}`,
    shell: body.shell ?? plan.shell,
    theme: plan.theme,
    locale: body.locale ?? plan.locale,
    mail_routing: body.mail_routing ?? 'auto',
    cgi: body.cgi ?? plan.cgi,
    spam_box: body.spam_box ?? true,
    spam_filter: body.spam_filter ?? true,
    make_reseller: body.make_reseller ?? false,
    ...limitsOfPackage(plan),
    measured_at: ctx.now,
    zone_serial: firstSerial(ctx.now),
    created_at: ctx.now,
  })
}

/** YYYYMMDD00, the convention for zone serials. */
export const firstSerial = (now: number): number =>
  Number(new Date(now).toISOString().slice(0, 10).replaceAll('-', '')) * 100

/** Runs the areas' hooks for a new account. */
export function completeRows(ctx: Context, id: string): FullAccount {
  const made = accountById(ctx.db, id)!
  for (const { created } of partsOf(ctx.runtime)) created?.(ctx, made)
  return accountById(ctx.db, id)!
}

/** Emits the event of a new account. */
export function emitCreated(ctx: Context, account: FullAccount, more: Readonly<Record<string, unknown>> = {}): void {
  ctx.emit({
    type: 'account.created',
    account: nameOf(account),
    object_id: account.id,
    details: {
      package: { id: account.package_id, name: account.package_name },
      owner: { id: account.owner_id, name: account.owner_username ?? 'root' },
      ...more,
    },
  })
}

/** Runs the areas' hooks, emits the event and enqueues the job; returns the job's id. */
export function announce(ctx: Context, id: string): string {
  const account = completeRows(ctx, id)
  emitCreated(ctx, account)
  const job_id = ctx.enqueue({ kind: 'account.create', account: nameOf(account) })
  ctx.note({
    account,
    object_id: id,
    after: { username: account.username, domain: account.main_domain, package: account.package_name },
  })
  return job_id
}
