import type { createAccount as declared } from '../../../contract/accounts.ts'
import type { Input } from '../../../contract/operation.ts'
import { type Fields, invalid, Problem } from '../../../contract/problem.ts'
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
import { accountById, nameOf } from '../store.ts'
import { accounts } from '../tables.ts'
import { chooseIp } from './choose-ip.ts'
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

/** Returns the id of a new account, without emitting its event. */
export function addAccount(ctx: Context, body: Input<Op>['body'], password_hash: string | null): string {
  refuseInvalid(ctx, body)
  const owner_id = ownerOf(ctx, body)
  const plan = usablePackage(ctx, body.package_id)
  refuseBeyondPrivileges(ctx, { values: body.shell === undefined ? {} : { shell: body.shell }, plan })
  const node = nodeFor(ctx, body, plan)
  const ip_id = chooseIp(ctx, { node, id: body.ip_id, dedicated: plan.dedicated_ip }).id
  const id = ctx.id()
  refuseGrant(ctx, { owner_id, limits: limitsOfPackage(plan) })
  const names = namesFor(ctx, body, node)
  insert(ctx, { id, ...names, ip_id, owner_id: body.owns_itself ? id : owner_id, password_hash }, body, plan)
  return id
}

interface Names {
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
  const fields: Fields = Object.fromEntries(
    Object.entries(problems).filter(([, problem]) => problem !== undefined),
  ) as Fields
  if (Object.keys(fields).length > 0) throw new Problem('validation', sentence(fields), fields)
}

function namesFor(ctx: Context, body: Input<Op>['body'], node: string): Names {
  const username = lowerAscii(body.username)
  const uid = takeUid(ctx.db, node)
  const db_prefix = databasePrefix(ctx, username, uid)
  if (!db_prefix) throw invalid('username', 'starts like too many other usernames; choose another')
  return { username, node, uid, db_prefix, main_domain: pastedToAscii(body.domain)! }
}

function nodeFor(ctx: Context, body: Input<Op>['body'], plan: PackageRow): string {
  const node = placeAccount(ctx, needOf(plan), body.node)
  for (const field of ['mail_node', 'database_node'] as const)
    if ((body[field] ?? node) !== node) throw invalid(field, `must be the account's node, ${node}`)
  return node
}

const sentence = (fields: Fields): string =>
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
  made: Names & { id: string; ip_id: string; owner_id: string; password_hash: string | null },
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

/** Runs the areas' hooks, emits the event and enqueues the job; returns the job's id. */
export function announce(ctx: Context, id: string): string {
  const made = accountById(ctx.db, id)!
  for (const { created } of partsOf(ctx.runtime)) created?.(ctx, made)
  const account = accountById(ctx.db, id)!
  ctx.emit({
    type: 'account.created',
    account: nameOf(account),
    object_id: id,
    details: {
      package: { id: account.package_id, name: account.package_name },
      owner: { id: account.owner_id, name: account.owner_username ?? 'root' },
    },
  })
  const job_id = ctx.enqueue({ kind: 'account.create', account: nameOf(account) })
  ctx.note({
    account,
    object_id: id,
    after: { username: account.username, domain: account.main_domain, package: account.package_name },
  })
  return job_id
}
