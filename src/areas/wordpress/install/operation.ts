import { randomBytes } from 'node:crypto'
import type { Input } from '../../../contract/operation.ts'
import { invalid, Problem, refuseInvalid } from '../../../contract/problem.ts'
import type * as declared from '../../../contract/wordpress-install.ts'
import { FileError } from '../../../host/contract/driver.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Handler } from '../../../runtime/operations/run.ts'
import { passwordError } from '../../../runtime/security/crypt.ts'
import { refuseOneMore } from '../../accounts/limits/usage-limits.ts'
import type { FoundAccount } from '../../accounts/objects/find-account.ts'
import { refuseBeingDeleted } from '../../domains/busy.ts'
import { domainById } from '../../domains/store.ts'
import type { DomainRow } from '../../domains/tables.ts'
import { wafContentChanged } from '../../domains/waf/rules.ts'
import { filesOf } from '../../files/of-account.ts'
import { asProblem } from '../../files/problem.ts'
import { addDatabase } from '../../mysql/databases.ts'
import { nameProblem, prefixOf } from '../../mysql/names.ts'
import { nativeHash } from '../../mysql/password.ts'
import { databaseNamed, setGrant, userNamed } from '../../mysql/store.ts'
import { addUser } from '../../mysql/users.ts'
import { placeOf } from '../place.ts'
import { belongsToAnother, MAX_SITES, newSite } from '../record.ts'
import { addSite, removeSite, sitesOf, sitesOfDomain } from '../store.ts'
import type { WordpressRow } from '../tables.ts'
import { toSite } from '../view.ts'
import { type Archive, SourceError } from './archives.ts'
import { findArchive, sourceOf } from './source.ts'
import { addInstall, purpose } from './store.ts'

type Op = typeof declared.installWordpress
type Body = Input<Op>['body']
type OfAccount = Context & { readonly found: { readonly account: FoundAccount } }

const SOURCE_TIMEOUT_MS = 10_000

interface Prepared {
  readonly archive?: Archive
  /** Why nothing can be installed there. */
  readonly problem?: Problem
}

/** Adds the site with its database; its job makes the files. */
export const installWordpress: Handler<Op, Prepared> = {
  prepare: (ctx, { body }) => prepared(ctx, body).catch(refusal),
  handle(ctx, { body }, { archive, problem }) {
    const { account } = ctx.found
    if (account.suspended_at !== null) throw new Problem('suspended', `${account.username} is suspended.`)
    const domain = domainOf(ctx, account.id, body)
    const path = pathOf(body)
    refuseTaken(ctx, domain, path)
    refuseInvalid({
      admin_password: body.admin_password && passwordError(body.admin_password, body.admin_user, body.admin_user),
    })
    refuseOneMore(ctx, 'databases', account.id)
    if (problem) throw problem
    const site = { ...newSite(ctx.runtime, domain, path), core_path: path, version: null, database: null, prefix: null }
    const installing: WordpressRow = {
      ...site,
      ...{ multisite: false, environment: 'production', status: 'installing', problem: null, checked_at: ctx.now },
    }
    addSite(ctx, installing)
    wafContentChanged(ctx.runtime, domain)
    const generated = body.admin_password === undefined ? randomBytes(15).toString('base64url') : undefined
    addOwnDatabase(ctx, installing.id, body, archive!, body.admin_password ?? generated!)
    ctx.note({ account, object_id: site.id, after: { url: toSite(ctx, installing).url, version: archive!.version } })
    const lane = `wordpress:${site.id}`
    const job_id = ctx.enqueue({ kind: 'wordpress.install', account, object_id: site.id, lane })
    return { site: toSite(ctx, installing), ...(generated && { admin_password: generated }), job_id }
  },
}

async function prepared(ctx: OfAccount, body: Body): Promise<Prepared> {
  const domain = domainById(ctx.db, body.domain_id)
  if (domain?.account_id !== ctx.found.account.id || domain.document_root === null) return {}
  const found = await entriesIn(ctx, placeOf(domain.document_root, pathOf(body)))
  if (found.length > 0)
    return {
      problem: taken(
        `There are files at ${domain.name}${pathOf(body)}.`,
        `has ${inWords(found)}: delete that in Files`,
      ),
    }
  const { version } = body
  const archive = await withinTime(ctx, (signal) =>
    findArchive(sourceOf(ctx.runtime), { version, locale: localeOf(body) }, signal),
  )
  return archive ? { archive } : { problem: noArchive(body) }
}

const localeOf = ({ locale }: Body): string | undefined => (locale === 'en_US' ? undefined : locale)

function noArchive(body: Body): Problem {
  if (body.version !== undefined) return invalid('version', 'is not offered by the source of WordPress')
  if (localeOf(body) !== undefined) return invalid('locale', 'is not offered by the source of WordPress')
  return new Problem('not-configured', 'The source of WordPress offers no version of it.')
}

/** What went wrong is said in the order of refusal. */
function refusal(error: unknown): Prepared {
  if (error instanceof Problem) return { problem: error }
  if (error instanceof SourceError) return { problem: new Problem('not-configured', error.message) }
  if (isMissingDirectory(error))
    return { problem: new Problem('not-configured', 'The directory of the setting wordpress_source does not exist.') }
  throw error
}

const isMissingDirectory = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

async function withinTime<T>({ runtime }: Context, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController()
  const cancel = runtime.clock.after(SOURCE_TIMEOUT_MS, () => late.abort())
  return act(late.signal).finally(cancel)
}

const MAX_NAMED = 3

/** The first names in a directory, and one more if there are others. */
async function entriesIn(ctx: OfAccount, directory: string): Promise<readonly string[]> {
  try {
    const path = Buffer.from(directory).toString('base64')
    const { items } = await filesOf(ctx).act('list', { path, limit: MAX_NAMED + 1 })
    return items.map(({ name }) => Buffer.from(name, 'base64').toString())
  } catch (error) {
    if (!(error instanceof FileError) || error.reason !== 'not-found') throw asProblem(error)
    return []
  }
}

const inWords = (names: readonly string[]): string =>
  names.slice(0, MAX_NAMED).join(', ') + (names.length > MAX_NAMED ? ' and others' : '')

/** `/` or `/blog`. */
const pathOf = ({ path = '' }: Body): string => `/${path.replace(/^\//, '')}`

/** The document root is an empty path. */
const taken = (text: string, found: string): Problem =>
  new Problem('exists', text, { path: `${found}, or choose another path such as blog` })

function domainOf(ctx: OfAccount, account: string, { domain_id }: Body): DomainRow {
  const domain = domainById(ctx.db, domain_id)
  if (domain?.account_id !== account) throw invalid('domain_id', 'is not a domain of the account')
  if (domain.kind === 'parked' || domain.document_root === null)
    throw invalid('domain_id', 'must be a domain with a site of its own')
  if (domain.handler === 'app') throw invalid('domain_id', 'must not be the domain of an app')
  refuseBeingDeleted(domain)
  return domain
}

/** A row whose files are missing makes room. */
function refuseTaken(ctx: OfAccount, domain: DomainRow, path: string): void {
  if (belongsToAnother(ctx.db, domain, path)) throw invalid('path', 'is in the document root of another domain')
  const former = sitesOfDomain(ctx.db, domain.id).find((site) => site.path === path)
  if (former && former.status !== 'missing')
    throw taken(`${domain.name}${path} is a WordPress site already.`, 'has a WordPress site: delete it')
  if (former) removeSite(ctx, former.id)
  if (sitesOf.count(ctx.db, domain.account_id) >= MAX_SITES)
    throw new Problem('too-many', `The account has ${MAX_SITES} WordPress sites, which is the most.`)
}

function addOwnDatabase(ctx: OfAccount, site: string, body: Body, { version, locale }: Archive, adminPassword: string) {
  const { account } = ctx.found
  const name = freeName(ctx, account.id)
  const databasePassword = randomBytes(24).toString('base64url')
  const { database } = addDatabase(ctx, { account, name, collation: 'utf8mb4_unicode_ci' })
  const { user } = addUser(ctx, { account, name, hash: nativeHash(databasePassword) })
  setGrant(ctx, database.id, user.id, ['ALL'])
  const { title, admin_user: adminUser, admin_email: adminEmail } = body
  const settings = { title, adminUser, adminEmail, adminPassword, databasePassword }
  addInstall(ctx.db, {
    ...{ site_id: site, database_id: database.id, user_id: user.id, version, locale: locale ?? null },
    settings: ctx.runtime.seal(purpose, JSON.stringify(settings)),
  })
}

/** The first name that neither a database nor a user has: `alice_wp`, `alice_wp2` … */
function freeName({ db }: Context, account: string): string {
  const prefix = prefixOf({ db }, account)
  for (let number = 1; ; number++) {
    const name = `${prefix}wp${number === 1 ? '' : number}`
    const problem = nameProblem('user', name)
    if (problem) throw new Problem('limit-reached', `No name is free for a database: ${problem}.`)
    if (!databaseNamed(db, name) && !userNamed(db, name)) return name
  }
}
