import { and, eq } from 'drizzle-orm'
import type { SourcePlan } from '../../../host/contract/driver.ts'
import { isRoot } from '../../../runtime/operations/actor.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { getSetting } from '../../../runtime/settings/settings.ts'
import {
  contactProblem,
  domainProblem,
  lowerAscii,
  pastedToAscii,
  usernameProblem,
} from '../../accounts/operations/names.ts'
import { accounts } from '../../accounts/tables.ts'
import { usablePackage } from '../../packages/store.ts'
import { packages } from '../../packages/tables.ts'
import { verifiableCrypt } from './passwords.ts'
import { mapped, type Planning } from './planning.ts'

export interface PlannedAccount {
  readonly username: string
  readonly mainDomain: string
  readonly packageId: string
  readonly contact: string
  readonly locale: 'en' | 'de' | undefined
  /** Of databases and their users. */
  readonly prefix: string
  /** A hash of another panel's; undefined: none that can be verified here. */
  readonly passwordHash: string | undefined
  /** Undefined: those of the package. */
  readonly limits: OwnLimits | undefined
  /** What applies, its own or the package's; null: unlimited. */
  readonly quotaMb: number | null
}

export type OwnLimits = Readonly<
  Record<
    | 'disk_quota_mb'
    | 'bw_limit_mb'
    | 'max_email_per_hour'
    | 'max_email'
    | 'max_sql'
    | 'max_ftp'
    | 'max_sub'
    | 'max_parked'
    | 'max_addon',
    number | null
  >
>

/** The account itself: its names, package, limits and password. */
export function planAccount(at: Planning): PlannedAccount {
  const username = planUsername(at)
  const mainDomain = planMainDomain(at)
  const prefix = planPrefix(at, username)
  const { id: packageId, fits } = planPackage(at)
  const limits = planLimits(at, packageId, fits)
  const passwordHash = planPassword(at)
  planSuspension(at)
  planOthers(at)
  const contact = planContact(at)
  const quotaMb = quotaOf(at.ctx, limits, packageId)
  return { username, mainDomain, prefix, packageId, contact, locale: planLocale(at), passwordHash, limits, quotaMb }
}

function planUsername({ ctx, source, options, report }: Planning): string {
  const username = lowerAscii(options.as ?? source.username)
  const fix = '--as NAME'
  const problem = username === '' ? 'is not named by the archive' : usernameProblem(ctx, username)
  if (problem) report.add('account', username || 'username', 'conflict', `the username ${problem}`, { fix })
  else if (username === source.username) report.add('account', username, 'as_is', 'the username')
  else report.add('account', username, 'changed', 'the username', { from: source.username, to: username })
  return username
}

function planMainDomain(at: Planning): string {
  const { ctx, source, options, report } = at
  const requested = options.domain ?? mapped(at, 'domains', source.mainDomain) ?? ''
  const fix = '--domain NAME'
  const problem = requested === '' ? 'is not named by the archive' : domainProblem(ctx, requested)
  const name = pastedToAscii(requested) ?? requested
  if (problem) report.add('domains', requested || 'main domain', 'conflict', `the main domain ${problem}`, { fix })
  return name
}

/** The prefix of the archive's names, so that they stay. */
function planPrefix({ ctx, report }: Planning, username: string): string {
  const prefix = `${username.slice(0, 8)}_`
  const holder = ctx.db
    .select({ username: accounts.username })
    .from(accounts)
    .where(eq(accounts.db_prefix, prefix))
    .get()
  if (holder)
    report.add('mysql', prefix, 'conflict', `the prefix of database names belongs to ${holder.username}`, {
      fix: '--as NAME',
    })
  return prefix
}

/** `fits`: named by the caller, or like the former plan. */
function planPackage({ ctx, source, options, report, owner }: Planning): {
  readonly id: string
  readonly fits: boolean
} {
  const byDefault = getSetting(ctx.db, 'default_package_id')!
  if (options.package_id !== undefined) {
    try {
      return { id: usablePackage(ctx, options.package_id).id, fits: true }
    } catch {
      report.add('account', 'package', 'conflict', 'package_id names no package that can be used', {
        fix: '--package NAME',
      })
      return { id: byDefault, fits: true }
    }
  }
  const { name } = source.plan
  const found = name === undefined ? undefined : packageNamed(name)
  if (found) report.add('account', 'package', 'as_is', `package ${found.name}`)
  else if (name !== undefined)
    report.add('account', 'package', 'changed', 'no package has the name of the plan', {
      from: name,
      to: 'default',
      fix: '--package NAME',
    })
  return { id: found?.id ?? byDefault, fits: found !== undefined }

  function packageNamed(plan: string) {
    const rows = ctx.db.select().from(packages).where(eq(packages.owner_id, owner)).all()
    const roots = ctx.db
      .select()
      .from(packages)
      .where(and(eq(packages.owner_id, getSetting(ctx.db, 'root_id')!)))
      .all()
      .filter(({ id }) => mayUse(ctx, id))
    const names = [plan, plan.slice(plan.indexOf('_') + 1)].map((one) => one.toLowerCase())
    return names.map((one) => [...rows, ...roots].find((row) => row.name.toLowerCase() === one)).find(Boolean)
  }
}

function mayUse(ctx: Context, id: string): boolean {
  try {
    return usablePackage(ctx, id) !== undefined
  } catch {
    return false
  }
}

/** Columns by the names of what they limit in archives. */
const counted = {
  email_accounts: ['max_email', 'mailboxes'],
  databases: ['max_sql', 'databases'],
  ftp_accounts: ['max_ftp', 'FTP accounts'],
  subdomains: ['max_sub', 'subdomains'],
  parked_domains: ['max_parked', 'alias domains'],
  addon_domains: ['max_addon', 'addon domains'],
} as const

function planLimits(at: Planning, packageId: string, fits: boolean): OwnLimits | undefined {
  const { source, report, options, ctx } = at
  const { plan } = source
  const had = [
    plan.quotaMb === undefined ? 'no disk quota' : `a disk quota of ${plan.quotaMb} MB`,
    ...(plan.bandwidthMb === undefined ? [] : [`${plan.bandwidthMb} MB of traffic a month`]),
    ...(plan.maxEmailPerHour === undefined ? [] : [`${plan.maxEmailPerHour} emails an hour`]),
    ...Object.entries(counted).flatMap(([name, [, word]]) =>
      plan.limits[name] === undefined ? [] : [`${plan.limits[name]} ${word}`],
    ),
  ].join(', ')
  const isOfRoot = isRoot(ctx.actor)
  const followsPackage = !isOfRoot || (options.limits ?? (fits ? 'package' : 'source')) === 'package'
  if (!isOfRoot && options.limits === 'source')
    report.add('account', 'limits', 'conflict', 'only root can give an account other limits than its package', {
      fix: '--limits package',
    })
  else if (followsPackage)
    report.add('account', 'limits', 'changed', `limits are those of the package; the account had ${had}`)
  else report.add('account', 'limits', 'as_is', had)
  const own = followsPackage ? undefined : ownLimits(plan)
  const quota = quotaOf(ctx, own, packageId)
  const needed = Math.ceil(source.files.bytes / MEGABYTE)
  if (quota === null || needed <= quota || at.options.skip?.includes('files')) return own
  if (options.quota_fit !== true || !isOfRoot) {
    const text = `${needed} MB come, and the account may use ${quota} MB`
    report.add('account', 'disk quota', 'conflict', text, { fix: isOfRoot ? '--quota-fit' : '--package NAME' })
    return own
  }
  report.add('account', 'disk quota', 'changed', 'raised to what comes', { from: `${quota} MB`, to: `${needed} MB` })
  return { ...(own ?? limitsOf(packageById(ctx, packageId)!)), disk_quota_mb: needed }
}

const MEGABYTE = 1024 * 1024

const quotaOf = (ctx: Context, own: OwnLimits | undefined, packageId: string): number | null =>
  own ? own.disk_quota_mb : (packageById(ctx, packageId)?.disk_quota_mb ?? null)

const packageById = ({ db }: Context, id: string) => db.select().from(packages).where(eq(packages.id, id)).get()

const limitNames = [
  'disk_quota_mb',
  'bw_limit_mb',
  'max_email_per_hour',
  ...Object.values(counted).map(([column]) => column),
] as const

const limitsOf = (from: OwnLimits): OwnLimits =>
  Object.fromEntries(limitNames.map((name) => [name, from[name]])) as OwnLimits

/** What the archive does not limit is unlimited. */
function ownLimits({ quotaMb, bandwidthMb, maxEmailPerHour, limits }: SourcePlan): OwnLimits {
  const counts = Object.entries(counted).map(([name, [column]]) => [column, limits[name] ?? null])
  return {
    disk_quota_mb: quotaMb ?? null,
    bw_limit_mb: bandwidthMb ?? null,
    max_email_per_hour: maxEmailPerHour ?? null,
    ...Object.fromEntries(counts),
  } as OwnLimits
}

/** Forms of hashes that a sign-in compares with. */
const comparable = /^\$[156]\$/

function planPassword({ source: { plan }, options, report }: Planning): string | undefined {
  const { passwordHash: hash } = plan
  if (hash === undefined || options.passwords === 'none') return undefined
  if (comparable.test(hash) && verifiableCrypt(hash)) {
    report.add('account', 'password', 'as_is', 'goes on working')
    return hash
  }
  report.add(
    'account',
    'password',
    'not_possible',
    'its hash cannot be verified here: set a new one, or open the panel by a link',
    {
      fix: 'panel accounts change-password NAME',
    },
  )
  return undefined
}

function planLocale({ source: { plan }, report }: Planning): 'en' | 'de' | undefined {
  if (plan.locale === undefined) return undefined
  const known = plan.locale === 'en' || plan.locale === 'de' ? plan.locale : undefined
  if (known) report.add('account', 'locale', 'as_is', known)
  else report.add('account', 'locale', 'changed', 'the language of the package', { from: plan.locale })
  return known
}

function planSuspension({ source: { plan }, report }: Planning): void {
  if (plan.suspended) report.add('account', 'suspended', 'as_is', `suspended when it is activated${reasonOf(plan)}`)
}

const reasonOf = ({ suspended }: SourcePlan): string => (suspended?.reason ? `: ${suspended.reason}` : '')

function planContact({ source: { plan }, report }: Planning): string {
  const { contact = '' } = plan
  if (contact === '') return ''
  const [first = ''] = contact.split(/[\s,;]+/)
  const problem = contactProblem(first)
  if (problem) report.add('account', 'contact', 'not_possible', `the contact address ${problem}`, { from: contact })
  else report.add('account', 'contact', 'as_is', first)
  return problem ? '' : first
}

function planOthers({ source, report }: Planning): void {
  const { plan, others } = source
  if (plan.startedAt !== undefined)
    report.add(
      'account',
      'start',
      'as_is',
      `the account began on ${new Date(plan.startedAt).toISOString().slice(0, 10)}`,
    )
  if (plan.shell !== undefined && !/nologin|noshell|false$/.test(plan.shell))
    report.add('ssh', 'shell', 'changed', 'the package decides whether the account has a shell', { from: plan.shell })
  for (const { what, count } of others) report.add('account', what, 'not_possible', `${count} not taken over`)
}
