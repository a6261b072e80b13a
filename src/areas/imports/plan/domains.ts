import type { SourceDomain } from '../../../host/contract/driver.ts'
import { localNode } from '../../../shared/node-name.ts'
import { documentRoot as rootPattern } from '../../../shared/patterns.ts'
import { nameProblem, pastedToAscii } from '../../accounts/operations/names.ts'
import { defaultRoot, takenProblem } from '../../domains/names.ts'
import { compareVersions, installedPhp } from '../../php/store.ts'
import type { PlannedAccount } from './account.ts'
import { closedPaths, handlerFor, type SiteHandler } from './htaccess.ts'
import { mapped, type Planning, refuseUnmapped, skips } from './planning.ts'

export interface PlannedDomain {
  readonly source: SourceDomain
  readonly name: string
  readonly kind: SourceDomain['kind']
  readonly parent?: string
  readonly documentRoot?: string
  readonly handler: SiteHandler
  /** Paths that are denied to all. */
  readonly closed: readonly string[]
  /** Absent: the server's default. */
  readonly php?: string
}

/** Domains that come, each with where its site is here. */
export function planDomains(at: Planning, account: PlannedAccount): PlannedDomain[] {
  const { source } = at
  refuseUnmapped(
    at,
    'domains',
    source.domains.map(({ name }) => name),
  )
  const all = source.domains.length > 0 ? source.domains : onlyHome(account)
  const names = new Map(all.map((one) => [one.name, newName(at, one, account)]))
  return all.flatMap((one) => planDomain(at, one, names, account))
}

const onlyHome = ({ mainDomain }: PlannedAccount): SourceDomain[] =>
  mainDomain === '' ? [] : [{ name: mainDomain, kind: 'main', documentRoot: 'public_html' }]

function newName(at: Planning, { name, kind }: SourceDomain, { mainDomain }: PlannedAccount): string | null {
  return kind === 'main' ? mainDomain : mapped(at, 'domains', name)
}

function planDomain(
  at: Planning,
  source: SourceDomain,
  names: ReadonlyMap<string, string | null>,
  account: PlannedAccount,
): PlannedDomain[] {
  const { report } = at
  const desired = names.get(source.name) ?? null
  if (desired === null) {
    report.add('domains', source.name, 'not_possible', 'left out by map.domains')
    return []
  }
  const name = pastedToAscii(desired) ?? desired
  const problem = source.kind === 'main' ? undefined : problemOf(at, name, source.kind, account)
  if (problem)
    report.add('domains', desired, 'conflict', `the domain ${problem}`, { fix: `--map domains:${source.name}=NAME` })
  const domain = plannedOf(at, source, name, names)
  if (!problem) sayDomain(at, domain)
  return [domain]
}

function problemOf(
  { ctx }: Planning,
  name: string,
  kind: SourceDomain['kind'],
  account: PlannedAccount,
): string | undefined {
  if (name.startsWith('*.')) return undefined
  const problem = nameProblem(ctx, name) ?? takenProblem(ctx, { name, kind })
  return problem?.includes(`served by ${account.mainDomain}`) ? undefined : problem
}

function plannedOf(
  at: Planning,
  source: SourceDomain,
  name: string,
  names: ReadonlyMap<string, string | null>,
): PlannedDomain {
  const parent = source.parent === undefined ? undefined : (names.get(source.parent) ?? undefined)
  return {
    source,
    name,
    kind: source.kind,
    ...(parent !== undefined && { parent }),
    ...(source.kind !== 'parked' && { documentRoot: rootOf(source, name) }),
    handler: handlerFor(at, source),
    closed: closedPaths(at, source),
    ...phpNow(at, source),
  }
}

/** Where it was, so that paths in its code go on working, unless no site can be there. */
const rootOf = ({ documentRoot }: SourceDomain, name: string): string =>
  documentRoot !== undefined && rootPattern.test(documentRoot) ? documentRoot : defaultRoot(name)

function sayDomain(at: Planning, domain: PlannedDomain): void {
  const { report } = at
  const { source, name, kind } = domain
  const what = `${kind} domain`
  if (name === source.name) report.add('domains', name, 'as_is', what)
  else report.add('domains', name, 'changed', what, { from: source.name, to: name })
  if (domain.documentRoot === undefined) return
  sayRoot(at, name, source.documentRoot, domain.documentRoot)
  sayPhp(at, domain)
}

function sayRoot({ report }: Planning, name: string, from: string | undefined, to: string): void {
  const item = `${name} document root`
  if (from === undefined)
    report.add('domains', item, 'not_possible', 'the document root was outside the home: the site is empty')
  else if (from === to) report.add('domains', item, 'as_is', 'the site stays where it is', { from, to })
  else report.add('domains', item, 'changed', 'the site moves, and a link stays at its former place', { from, to })
}

/** The version that the archive names; that of the site's own .htaccess goes first, as it does in Apache. */
function sayPhp(at: Planning, { source, name }: PlannedDomain): void {
  const { ctx, report } = at
  const from = phpIn(at, source) ?? source.php
  if (from === undefined) return
  const item = `${name} PHP`
  const versions = installedPhp(ctx.db, localNode).map(({ version }) => version)
  const to = versions.find((version) => compareVersions(version, from) >= 0)
  const fix = `panel host setup --php ${from}`
  if (to === from) report.add('domains', item, 'as_is', `runs PHP ${from}`, { from, to })
  else if (to === undefined)
    report.add('domains', item, 'changed', "this version and newer ones are not installed: runs the server's PHP", {
      ...{ from, fix },
    })
  else report.add('domains', item, 'changed', `this version is not installed: runs PHP ${to}`, { from, to, fix })
}

/** The version that is installed, or the nearest newer one. */
function phpNow(at: Planning, source: SourceDomain): { readonly php?: string } {
  const from = phpIn(at, source) ?? source.php
  const versions = installedPhp(at.ctx.db, localNode).map(({ version }) => version)
  const php = from === undefined ? undefined : versions.find((version) => compareVersions(version, from) >= 0)
  return php === undefined || source.kind === 'parked' ? {} : { php }
}

function phpIn(at: Planning, { documentRoot }: SourceDomain): string | undefined {
  if (documentRoot === undefined || skips(at, 'htaccess')) return undefined
  return at.source.htaccess.find(({ file }) => file === `${documentRoot}/.htaccess`)?.php
}
