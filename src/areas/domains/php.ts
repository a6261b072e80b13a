import { and, eq, ne, sql } from 'drizzle-orm'
import type { PhpSettings, PhpSettingsChange } from '../../contract/php.ts'
import { invalid } from '../../contract/problem.ts'
import type { HostParts } from '../../host/contract/driver.ts'
import { getSetting } from '../../runtime/settings/settings.ts'
import { limitDefaults } from '../../shared/limit-defaults.ts'
import type { Db } from '../../store/open.ts'
import { prepared } from '../../store/prepared.ts'
import { accounts } from '../accounts/tables.ts'
import { packages } from '../packages/tables.ts'
import { DEFAULT_IDLE_MINUTES, defaultPhp, installedPhp, whyNotInstalled } from '../php/store.ts'
import { type DomainRow, domains } from './tables.ts'

/** What a site has that sets nothing. */
export const defaultPhpSettings = {
  memory_limit_mb: 128,
  max_execution_s: 30,
  upload_max_mb: 64,
  max_input_vars: 1000,
  display_errors: false,
  opcache: true,
  extensions: [],
} satisfies PhpSettings

const queries = prepared((db: Db) => ({
  account: db
    .select({
      node: accounts.node,
      memory: packages.php_memory_max_mb,
      execution: packages.php_execution_max_s,
      upload: packages.php_upload_max_mb,
    })
    .from(accounts)
    .innerJoin(packages, eq(packages.id, accounts.package_id))
    .where(eq(accounts.id, sql.placeholder('id')))
    .prepare(),
  ofMain: db
    .select({ rules: domains.rules })
    .from(domains)
    .where(and(eq(domains.account_id, sql.placeholder('account')), sql`${domains.kind} = 'main'`))
    .prepare(),
  chosen: db
    .selectDistinct({ version: sql<string>`json_extract(${domains.rules}, '$.php_version')` })
    .from(domains)
    .where(
      and(
        eq(domains.account_id, sql.placeholder('account')),
        ne(domains.status, 'deleting'),
        sql`json_extract(${domains.rules}, '$.php_version') IS NOT NULL`,
      ),
    )
    .prepare(),
}))

interface Bounds {
  readonly memory: number
  readonly execution: number
  readonly upload: number
}

/** Read from the package on use: accounts have no such limits of their own. */
function boundsOf(db: Db, account: string): Bounds {
  const { memory, execution, upload } = queries(db).account.get({ id: account })!
  return {
    memory: memory ?? limitDefaults.php_memory_max_mb,
    execution: execution ?? limitDefaults.php_execution_max_s,
    upload: upload ?? limitDefaults.php_upload_max_mb,
  }
}

const nodeOf = (db: Db, account: string): string => queries(db).account.get({ id: account })!.node

/** The versions that domains of the account name. */
export const chosenVersions = (db: Db, account: string): string[] =>
  queries(db)
    .chosen.all({ account })
    .map(({ version }) => version)

/** What runs the scripts of a site: its version, the main domain's, or the node's default. */
export const effectivePhp = (db: Db, site: Pick<DomainRow, 'account_id' | 'rules'>): string | undefined =>
  site.rules.php_version ?? mainPhp(db, site.account_id)

/** The main domain's version, which is also that of cron commands and of SSH. */
export const mainPhp = (db: Db, account: string): string | undefined =>
  queries(db).ofMain.get({ account })?.rules.php_version ?? defaultPhp(db, nodeOf(db, account))

/** 400 for a version that the account's node lacks. */
export function refuseMissingVersion(db: Db, account: string, version: string | null | undefined): void {
  const why = version && whyNotInstalled(db, nodeOf(db, account), version)
  if (why) throw invalid('php_version', why)
}

const bounded = [
  ['memory_limit_mb', 'memory'],
  ['max_execution_s', 'execution'],
  ['upload_max_mb', 'upload'],
] as const

/** The settings after a change; 400 for one above its bound. */
export function changedPhp(
  db: Db,
  { account_id, rules }: DomainRow,
  change: PhpSettingsChange | null,
  version: string | undefined,
): PhpSettings | null {
  if (change === null) return null
  const merged = { ...rules.php, ...change } as PhpSettingsChange
  const php = Object.fromEntries(Object.entries(merged).filter(([, value]) => value != null)) as PhpSettings
  const bounds = boundsOf(db, account_id)
  for (const [name, bound] of bounded)
    if (change[name] != null && change[name] > bounds[bound])
      throw invalid('php', `${name}: must be at most ${bounds[bound]}`)
  refuseBodySize(php, bounds)
  if (change.extensions) refuseExtensions(db, account_id, change.extensions, version)
  return Object.keys(php).length === 0 ? null : php
}

function refuseBodySize(
  { upload_max_mb = defaultPhpSettings.upload_max_mb, post_max_mb }: PhpSettings,
  { upload }: Bounds,
) {
  if (post_max_mb === undefined) return
  if (post_max_mb <= upload_max_mb)
    throw invalid('php', `post_max_mb: must be more than upload_max_mb, which is ${upload_max_mb}`)
  if (post_max_mb > upload + 1) throw invalid('php', `post_max_mb: must be at most ${upload + 1}`)
}

function refuseExtensions(db: Db, account: string, names: readonly string[], version: string | undefined): void {
  const installed = installedPhp(db, nodeOf(db, account)).find((one) => one.version === version)?.extensions ?? []
  const missing = names.find((name) => !installed.includes(name))
  if (missing !== undefined)
    throw invalid('php', `extensions: ${missing} is not installed for PHP ${version ?? 'of this host'}`)
}

type PhpState = HostParts['php']
type Pool = PhpState['pools'][number]
type SitePhp = NonNullable<HostParts['web']['sites'][number]['php']>

const capped = (value: number, bound: number): number => Math.max(1, Math.min(value, bound))

/** What applies: a bound that has become smaller caps it. */
function applied(settings: PhpSettings, { memory, execution, upload }: Bounds) {
  const all: Required<PhpSettings> = { ...defaultPhpSettings, post_max_mb: 0, ...settings }
  const upload_max_mb = capped(all.upload_max_mb, upload)
  const post_max_mb = Math.max(upload_max_mb + 1, capped(settings.post_max_mb ?? 0, upload + 1))
  return {
    ...all,
    memory_limit_mb: capped(all.memory_limit_mb, memory),
    max_execution_s: capped(all.max_execution_s, execution),
    upload_max_mb,
    post_max_mb,
  }
}

/** The pool of one site, or the one that all sites without settings of their own share. */
function poolOf(settings: PhpSettings, bounds: Bounds): Pick<Pool, 'settings'> {
  const all = applied(settings, bounds)
  return {
    settings: {
      memoryMb: all.memory_limit_mb,
      executionS: all.max_execution_s,
      uploadMb: all.upload_max_mb,
      postMb: all.post_max_mb,
      inputVars: all.max_input_vars,
      displayErrors: all.display_errors,
      opcache: all.opcache,
      extensions: [...all.extensions],
    },
  }
}

const ownSettings = ({ rules }: Pick<DomainRow, 'rules'>): PhpSettings | undefined => {
  const php = (rules.php ?? {}) as PhpSettings
  return Object.keys(php).length > 0 ? php : undefined
}

/** How the web server passes a site's scripts on. */
export function sitePhp(db: Db, site: DomainRow, file: string): SitePhp {
  const own = ownSettings(site)
  const bounds = boundsOf(db, site.account_id)
  const { settings } = poolOf(own ?? {}, bounds)
  const version = effectivePhp(db, site)
  return {
    ...(version !== undefined && { version }),
    ...(own && { pool: file }),
    bodyMb: settings.postMb,
    // Without a setting of the domain a script may allow itself more.
    executionS: own?.max_execution_s === undefined ? Math.max(1, bounds.execution) : settings.executionS,
  }
}

interface PhpSite {
  readonly site: DomainRow
  /** Its file's name, which names its pool. */
  readonly file: string
}

/** The pools of an account's sites, each once. */
export function phpPools(db: Db, account: string, sites: readonly PhpSite[]): Pick<PhpState, 'version' | 'pools'> {
  const bounds = boundsOf(db, account)
  const pools = sites.map(({ site, file }): Pool => {
    const own = ownSettings(site)
    const version = effectivePhp(db, site)
    return { ...(version !== undefined && { version }), ...(own && { name: file }), ...poolOf(own ?? {}, bounds) }
  })
  const version = mainPhp(db, account)
  const byKey = new Map(pools.map((pool) => [`${pool.version} ${pool.name ?? ''}`, pool]))
  return { ...(version !== undefined && { version }), pools: [...byKey.values()] }
}

/** What holds for all of an account's scripts. */
export const phpLimits = (db: Db, account: string): Pick<PhpState, 'maxExecutionS' | 'idleMinutes'> => ({
  maxExecutionS: Math.max(1, boundsOf(db, account).execution),
  idleMinutes: getSetting(db, 'site_idle_minutes') ?? DEFAULT_IDLE_MINUTES,
})
