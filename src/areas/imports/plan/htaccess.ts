import { MAX_ACCESS_RULES } from '../../../contract/site-rules.ts'
import type { SourceDomain, SourceHtaccess } from '../../../host/contract/driver.ts'
import { localNode } from '../../../shared/node-name.ts'
import { sitePath } from '../../../shared/patterns.ts'
import { MAX_RULES_PER_ACCOUNT } from '../../domains/access-limits.ts'
import { nodeMayHave } from '../../domains/hosts.ts'
import { type Planning, skips } from './planning.ts'

/** What answers at an imported site. */
export type SiteHandler = 'php' | 'php-front' | 'apache'

/** A domain that comes. */
interface Site {
  readonly source: SourceDomain
  readonly name: string
  readonly closed: readonly string[]
}

const setupCommand = 'panel host setup --without none'
const ownName = '/.htaccess'

/** '': the home itself. A name that was cut stands for the directory above it. */
const directoryOf = ({ file }: SourceHtaccess): string => file.slice(0, Math.max(0, file.lastIndexOf('/')))
const isWithin = (directory: string, root: string): boolean =>
  root === '' || directory === root || directory.startsWith(`${root}/`)

/** As in Apache: the files on the way to a document root count for it, and all below. */
const countsFor = (one: SourceHtaccess, root: string): boolean =>
  isWithin(directoryOf(one), root) || isWithin(root, directoryOf(one))

const isPermalinksOf = ({ file, isPermalinks }: SourceHtaccess, root: string): boolean =>
  isPermalinks && file === `${root}${ownName}`

/** Whether only Apache does what the file says at the site; permalinks of another site are that site's. */
function needsApache({ source }: Planning, one: SourceHtaccess, root: string): boolean {
  if (one.does.length === 0 && !one.hasAccess) return false
  if (!one.isPermalinks) return true
  const isOfOther = source.domains.some(({ documentRoot }) => documentRoot && isPermalinksOf(one, documentRoot))
  return !isPermalinksOf(one, root) && !isOfOther
}

/** What answers at a site: as much as its `.htaccess` files need. */
export function handlerFor(at: Planning, { documentRoot: root }: SourceDomain): SiteHandler {
  if (root === undefined) return 'php'
  const files = at.source.htaccess.filter((one) => countsFor(one, root))
  const isApaches = files.some((one) => needsApache(at, one, root))
  if (isApaches) return skips(at, 'htaccess') ? 'php-front' : 'apache'
  return files.some((one) => isPermalinksOf(one, root)) ? 'php-front' : 'php'
}

/** Paths of a site that are denied to all, since nothing reads the files that protect them. */
export function closedPaths(at: Planning, { documentRoot: root }: SourceDomain): readonly string[] {
  if (root === undefined || !skips(at, 'htaccess')) return []
  const files = at.source.htaccess.filter((one) => one.hasAccess && countsFor(one, root))
  const sites = Math.max(1, at.source.domains.length)
  const limit = Math.max(1, Math.min(MAX_ACCESS_RULES, Math.floor(MAX_RULES_PER_ACCOUNT / sites)))
  const paths = files.map((one) => closedPath(directoryOf(one), root))
  return withinLimit(paths, limit).toSorted()
}

/** A directory whose name a rule cannot have is closed with the one above it. */
function closedPath(directory: string, root: string): string {
  let path = directory === root || !isWithin(directory, root) ? '/' : directory.slice(root === '' ? -1 : root.length)
  while (!sitePath.test(path)) path = above(path)
  return path
}

const above = (path: string): string => path.slice(0, Math.max(1, path.lastIndexOf('/'))) || '/'
const depthOf = (path: string): number => (path === '/' ? 0 : path.split('/').length - 1)

/** As few rules as a site may have: the deepest directories are closed with those above them. */
function withinLimit(paths: readonly string[], limit: number): readonly string[] {
  let found = outermost(paths)
  while (found.length > limit) {
    const deepest = Math.max(...found.map(depthOf))
    found = outermost(found.map((path) => (depthOf(path) === deepest ? above(path) : path)))
  }
  return found
}

function outermost(paths: readonly string[]): readonly string[] {
  const all = new Set(paths)
  const isBelowAnother = (path: string): boolean => {
    for (let up = path; up !== '/'; ) {
      up = above(up)
      if (all.has(up)) return true
    }
    return false
  }
  return [...all].filter((path) => !isBelowAnother(path))
}

/** A line for each file: what it does, and what becomes of that. */
export function planHtaccess(at: Planning, domains: readonly Site[]): void {
  const sites = domains.filter(({ source }) => source.kind !== 'parked' && source.documentRoot !== undefined)
  for (const one of at.source.htaccess) {
    const own = sites.filter(({ source }) => countsFor(one, source.documentRoot!))
    const isApaches = own.some(({ source }) => needsApache(at, one, source.documentRoot!))
    if (own.length === 0) at.report.add('htaccess', one.file, 'as_is', `belongs to no site: ${effectsOf(one)}`)
    else if (!isApaches) sayPlain(at, one)
    else if (skips(at, 'htaccess')) saySkipped(at, one, own)
    else saySupported(at, one)
  }
}

const effectsOf = ({ does }: SourceHtaccess): string => does.join(', ') || 'nothing'

const sayPlain = ({ report }: Planning, one: SourceHtaccess): void =>
  report.add(
    'htaccess',
    one.file,
    'as_is',
    one.isPermalinks ? 'permalinks: paths that are not files go to index.php' : 'has no directives',
  )

/** Whether the host that takes the import has Apache, as far as is known. */
const hasApache = ({ ctx }: Planning): boolean => nodeMayHave(ctx, localNode, 'apache')

function saySupported(at: Planning, one: SourceHtaccess): void {
  const what = one.hasAccess ? `protects a directory: ${effectsOf(one)}` : effectsOf(one)
  if (hasApache(at)) return at.report.add('htaccess', one.file, 'as_is', `${what}, by the handler apache`)
  at.report.add(
    'htaccess',
    one.file,
    'conflict',
    `${what}. This needs Apache, which this server was set up without; --skip htaccess imports the site without it, and closes protected directories`,
    { fix: setupCommand },
  )
}

function saySkipped(at: Planning, one: SourceHtaccess, sites: readonly Site[]): void {
  const fix = hasApache(at) ? {} : { fix: setupCommand }
  if (!one.hasAccess)
    return at.report.add('htaccess', one.file, 'not_possible', `nginx does not read it: ${effectsOf(one)}`, fix)
  const closed = sites.map(({ name, source, closed }) => `${name}${closedBy(one, source.documentRoot!, closed)}`)
  at.report.add(
    'htaccess',
    one.file,
    'not_possible',
    `closed to all visitors, since nginx does not read what protects it: ${closed.join(', ')}`,
    { from: effectsOf(one), to: 'denied', ...fix },
  )
}

function closedBy(one: SourceHtaccess, root: string, closed: readonly string[]): string {
  const path = closedPath(directoryOf(one), root)
  return closed.find((rule) => rule === '/' || path === rule || path.startsWith(`${rule}/`)) ?? path
}
