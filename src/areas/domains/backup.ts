import { Problem } from '../../contract/problem.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { pick } from '../../shared/pick.ts'
import type { Db } from '../../store/open.ts'
import type { BackupPart, RestoredFrom, Secrets } from '../accounts/objects/part.ts'
import { restoreWith } from '../accounts/operations/restore-with.ts'
import { type FullAccount, nameOf } from '../accounts/store.ts'
import { refuseMissingPhp } from '../php/store.ts'
import { refuseManyAccessRules } from './access-limits.ts'
import { makeDomain } from './create.ts'
import { takenProblem } from './names.ts'
import { refuseManyRedirects } from './redirect-operations.ts'
import { addRedirect, forgetRedirects, redirectsOf } from './redirects.ts'
import { renaming } from './renamed.ts'
import { domainById, domainsNamed, servedDomains, setDomain } from './store.ts'
import { type DomainRow, type RedirectRow, type StoredRules, siteValues } from './tables.ts'
import { startLooks } from './verification/store.ts'

const ofRedirect = ['path', 'match', 'target', 'status', 'keep_path'] as const
type SavedRedirect = Pick<RedirectRow, (typeof ofRedirect)[number]>

interface SavedDomain extends Pick<DomainRow, 'name' | 'kind' | 'document_root' | 'handler' | 'https_redirect'> {
  /** Older backups have none. */
  readonly rules?: StoredRules | undefined
  /** By name: ids differ in another account. */
  readonly parent?: string | undefined
  readonly redirects: readonly SavedRedirect[]
}

function savedDomain(db: Db, { id, parent_id, ...domain }: DomainRow, { seal }: Pick<Secrets, 'seal'>): SavedDomain {
  const { name, kind, document_root, handler, https_redirect } = domain
  const { nginx_include, ...others } = domain.rules
  const rules = { ...others, ...(nginx_include !== undefined && { nginx_include: seal(nginx_include) }) }
  const parent = parent_id === null ? undefined : domainById(db, parent_id)?.name
  const redirects = redirectsOf(db, id).map((row) => pick(row, ofRedirect))
  return { name, kind, ...(parent && { parent }), document_root, handler, https_redirect, rules, redirects }
}

/** Root's own text comes from a backup only if the panel itself put it there. */
function opened({ nginx_include, ...rules }: StoredRules, { open }: RestoredFrom['secrets']): StoredRules {
  const text = nginx_include === undefined ? undefined : open(nginx_include)
  return { ...rules, ...(text !== undefined && { nginx_include: text }) }
}

/** Keeps newer domains, recreates missing ones, and restores each one's site. */
function restore(ctx: Context, account: FullAccount, from: RestoredFrom): readonly string[] {
  const { account: former, data, secrets } = from
  const { domains: sealed } = data as { domains: readonly SavedDomain[] }
  const domains = sealed.map((one) => ({ ...one, ...(one.rules && { rules: opened(one.rules, secrets) }) }))
  const nameNow = renaming(former.domain, account.main_domain)
  const order = ['main', 'addon', 'sub', 'parked']
  const all = domains.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))
  const sorted = all.filter(({ name }) => !isOfOthers(ctx, account, former, nameNow(name)))
  for (const saved of sorted)
    restoreOne(ctx, account, { ...saved, name: nameNow(saved.name), parent: saved.parent && nameNow(saved.parent) })
  refuseManyAccessRules(ctx.db, account.id)
  startLooks(ctx, account.id)
  const left = restoreWith(ctx, account.id, { what: 'redirects', feature: 'redirects' }, () => {
    for (const { name, redirects } of sorted) restoreRedirects(ctx, account.id, nameNow(name), redirects)
    refuseManyRedirects(ctx.db, account.id)
    return []
  })
  const lost = all.filter((one) => !sorted.includes(one)).map(({ name }) => nameNow(name))
  return [
    ...left,
    ...lost.map((name) => `${name}: left out with its mail and FTP accounts, since another account has it`),
  ]
}

/**
 * Whether a domain in the backup of another account cannot be the new account's, since somebody has it by now. Where an
 * account's own backup is restored, that is a fault instead.
 */
export const isOfOthers = (
  ctx: Context,
  account: FullAccount,
  former: { readonly id: string },
  name: string,
): boolean =>
  former.id !== account.id &&
  domainsNamed(ctx.db, account.id, [name]).length === 0 &&
  takenProblem(ctx, { name, kind: 'addon', account: account.id }) !== undefined

/** A version that the node lacks is not replaced silently by another one. */
const refuseVersion = (ctx: Context, account: FullAccount, { php_version }: StoredRules): void =>
  refuseMissingPhp(ctx.db, account.node, php_version ? [php_version] : [])

function restoreOne(ctx: Context, account: FullAccount, saved: SavedDomain): void {
  refuseVersion(ctx, account, saved.rules ?? {})
  const [there] = domainsNamed(ctx.db, account.id, [saved.name])
  if (there?.status === 'deleting') throw new Problem('busy', `${there.name} is being deleted.`)
  if (there) setSite(ctx, there, saved)
  else recreate(ctx, account, saved)
}

function restoreRedirects(ctx: Context, account: string, name: string, saved: readonly SavedRedirect[]): void {
  const { id: domain_id } = domainsNamed(ctx.db, account, [name])[0]!
  forgetRedirects(ctx, domain_id)
  for (const redirect of saved)
    addRedirect(ctx, {
      ...{ id: ctx.id(), domain_id, applied: true, removed: false, created_at: ctx.now },
      ...pick(redirect, ofRedirect),
    })
}

/** Apps are not restored with domains: a domain that showed one keeps its current site. */
function setSite(ctx: Context, there: DomainRow, { document_root, handler, https_redirect, rules }: SavedDomain): void {
  const isSite = there.kind !== 'parked' && handler !== 'app'
  const values = siteValues({
    ...there,
    https_redirect,
    ...(rules && { rules }),
    ...(isSite && { document_root, handler, app_id: null }),
  })
  setDomain(ctx, there.id, { ...values, applied: values, updated_at: ctx.now })
}

function recreate(ctx: Context, account: FullAccount, saved: SavedDomain): void {
  const { name, kind, parent, document_root, https_redirect } = saved
  if (kind === 'main') throw new Problem('in-use', `${name} is not the main domain of the account.`)
  const [above] = parent === undefined ? [] : domainsNamed(ctx.db, account.id, [parent])
  const handler = saved.handler === 'app' ? 'static' : saved.handler
  const domain = makeDomain(ctx, nameOf(account), {
    name,
    kind,
    https_redirect,
    ...(kind === 'parked' ? {} : { document_root: document_root!, handler }),
    ...(kind === 'parked' && above ? { parent_id: above.id } : {}),
  })
  setDomain(ctx, domain.id, { status: 'active', ...(saved.rules && { rules: saved.rules }) })
}

export const backup: BackupPart = {
  part: 'config',
  save: ({ store: { db } }, { id }, secrets) => ({
    data: { domains: servedDomains(db, id).map((one) => savedDomain(db, one, secrets)) },
  }),
  restore,
}
