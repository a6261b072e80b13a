import type { Context } from '../../runtime/operations/context.ts'
import type { AccountPart } from '../accounts/objects/part.ts'
import type { FullAccount } from '../accounts/store.ts'
import { defaultHandler } from './default-handler.ts'
import { htaccessNotices } from './htaccess/notices.ts'
import { defaultRoot, mainDomainProblem, movedWith, reversedOf } from './names.ts'
import { domainParts } from './part.ts'
import { endOfLifeNotices } from './php-notices.ts'
import { domainSearch } from './search.ts'
import { newSiteRules } from './site-rules.ts'
import { activateMain, addDomain, countOfKind, domainById, mainDomainOf, servedDomains, setDomain } from './store.ts'
import type { DomainRow, SiteValues } from './tables.ts'
import { verificationNotices } from './verification/notices.ts'
import { isVerified, releaseNames, restartVerification, startLooks, startVerification } from './verification/store.ts'

/** Every account's main domain is a row like any other. */
function addMain(ctx: Context, { id: account_id, main_domain: name }: FullAccount): void {
  const values: SiteValues = {
    document_root: defaultRoot(name),
    handler: defaultHandler(ctx, account_id),
    app_id: null,
    https_redirect: false,
    rules: newSiteRules,
  }
  const domain: DomainRow = {
    id: ctx.id(),
    account_id,
    name,
    reversed: reversedOf(name),
    kind: 'main',
    parent_id: null,
    ...values,
    applied: values,
    status: 'provisioning',
    created_at: ctx.now,
    updated_at: ctx.now,
  }
  addDomain(ctx, domain)
  startVerification(ctx, domain)
  for (const { created } of domainParts(ctx.runtime)) created?.(ctx, domain)
}

/** Renames the main domain's subdomains; its default document root moves along. */
function moveMain(ctx: Context, { id, main_domain }: FullAccount): void {
  const moved = movedWith(ctx, id, main_domain).map((to) => ({ to, before: domainById(ctx.db, to.id)! }))
  const roots = moved.map(({ to, before }) => (to.kind === 'main' ? movedRoot(ctx, before, to.name) : {}))
  // A new name may still be another one's old name.
  for (const { before } of moved) setDomain(ctx, before.id, { name: before.id, reversed: before.id })
  for (const [n, { to }] of moved.entries())
    setDomain(ctx, to.id, { name: to.name, reversed: to.reversed, updated_at: ctx.now, ...roots[n] })
  for (const { to } of moved) restartVerification(ctx, to)
  for (const { before } of moved)
    for (const { changed } of domainParts(ctx.runtime)) changed?.(ctx, before, domainById(ctx.db, before.id)!)
}

/** Keeps a document root that other domains use, or have theirs in. */
function movedRoot({ db }: Context, main: DomainRow, name: string): Partial<DomainRow> {
  const place = `sites/${main.name}/`
  const others = servedDomains(db, main.account_id).filter(({ id }) => id !== main.id)
  if (main.document_root !== defaultRoot(main.name)) return {}
  if (others.some(({ document_root }) => `${document_root}/`.startsWith(place))) return {}
  const document_root = defaultRoot(name)
  return { document_root, applied: { ...main.applied, document_root } }
}

export const ofAccount = {
  counts: {
    addon_domains: countOfKind('addon'),
    sub_domains: countOfKind('sub'),
    parked_domains: countOfKind('parked'),
  },
  searched: domainSearch,
  names: mainDomainProblem,
  sendsAsUser: (db, id) => !isVerified(db, mainDomainOf(db, id)),
  created: addMain,
  changed(ctx, before, after) {
    if (before.main_domain !== after.main_domain) moveMain(ctx, after)
  },
  applied(ctx, { id }) {
    activateMain(ctx, id)
    startLooks(ctx, id)
  },
  end: (ctx, { id }) => releaseNames(ctx, id),
  notices: (ctx, scope) => [
    ...verificationNotices(ctx, scope),
    ...endOfLifeNotices(ctx, scope),
    ...htaccessNotices(ctx, scope),
  ],
} satisfies AccountPart
