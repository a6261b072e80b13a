import type * as declared from '../../contract/domains.ts'
import type { Input } from '../../contract/operation.ts'
import { invalid, Problem } from '../../contract/problem.ts'
import type { AccountName, Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { refuseOneMore } from '../accounts/limits/usage-limits.ts'
import { parentsOf } from '../accounts/operations/names.ts'
import { refuseManyAccessRules } from './access-limits.ts'
import { refuseBeingDeleted } from './busy.ts'
import { defaultHandler } from './default-handler.ts'
import { refuseWithoutApache } from './hosts.ts'
import { counts, refuseWithoutFeature } from './kinds.ts'
import { asciiName, defaultRoot, domainNameProblem, reversedOf, takenProblem } from './names.ts'
import { domainParts } from './part.ts'
import { refuseMissingVersion } from './php.ts'
import { refuseOwnSite } from './site.ts'
import { newSiteRules } from './site-rules.ts'
import { addDomain, domainById, domainsNamed, mainDomainOf, siteOf, toDomain } from './store.ts'
import type { DomainRow } from './tables.ts'
import { refuseManyUnverified } from './verification/limit.ts'
import { startVerification } from './verification/store.ts'

type CreateDomainBody = Input<typeof declared.createDomain>['body']
type CreateLocation = Pick<DomainRow, 'name' | 'kind' | 'parent_id'>

/** Creates the domain's row; its job applies it to the host. */
export const createDomain: Handler<typeof declared.createDomain> = {
  handle(ctx, { body }) {
    const { account } = ctx.found
    const domain = makeDomain(ctx, account, body)
    ctx.note({ account, object_id: domain.id, after: { name: domain.name, kind: domain.kind } })
    const job_id = ctx.enqueue({ kind: 'domain.create', account, object_id: domain.id })
    return { domain: toDomain(ctx, domain), job_id }
  },
}

/** Creates a domain and runs the areas' hooks; the caller enqueues the job. */
export function makeDomain(ctx: Context, account: AccountName, body: CreateDomainBody): DomainRow {
  const place = placeOf(ctx, account.id, body)
  refuseOwnSite(ctx, { kind: place.kind, account: account.id }, body)
  refuseMissingVersion(ctx.db, account.id, body.php_version)
  if (body.handler === 'apache') refuseWithoutApache(ctx, account.id)
  refuseWithoutFeature(ctx, account.id, place.kind)
  refuseTaken(ctx, account.id, place)
  const domain = newDomain(ctx, account.id, place, body)
  addDomain(ctx, domain)
  if (siteOf(ctx.db, domain).rules.access) refuseManyAccessRules(ctx.db, account.id)
  startVerification(ctx, domain)
  ctx.emit({ type: 'domain.created', account, object_id: domain.id, details: { domain: domain.name } })
  for (const { created } of domainParts(ctx.runtime)) created?.(ctx, domain)
  return domain
}

function placeOf(ctx: Context, account: string, body: CreateDomainBody): CreateLocation {
  const problem = domainNameProblem(ctx, body.name)
  if (problem) throw invalid('name', problem)
  const name = asciiName(body.name)!
  const above = domainsNamed(ctx.db, account, parentsOf(name))
  const kind = kindOf(name, above.length > 0, body.kind)
  if (kind !== 'parked' && body.parent_id !== undefined) throw invalid('parent_id', 'is only for an alias domain')
  return { name, kind, parent_id: parentOf(ctx, account, kind, above, body) }
}

function kindOf(name: string, isBelowOwn: boolean, requestedKind: CreateDomainBody['kind']): DomainRow['kind'] {
  if (isBelowOwn && (requestedKind ?? 'sub') !== 'sub')
    throw invalid('kind', 'must be sub: it is below a domain of the account')
  if (isBelowOwn) return 'sub'
  if (requestedKind === 'sub') throw invalid('kind', 'cannot be sub: it is below no domain of the account')
  if (name.startsWith('*.')) throw invalid('name', 'is a wildcard, which must be below a domain of the account')
  return requestedKind ?? 'addon'
}

function parentOf(
  ctx: Context,
  account: string,
  kind: DomainRow['kind'],
  above: readonly DomainRow[],
  { parent_id }: CreateDomainBody,
): string | null {
  if (kind === 'addon') return null
  if (kind === 'sub') return above.find((one) => one.kind !== 'sub')!.id
  if (parent_id === undefined) return mainDomainOf(ctx.db, account).id
  const parent = domainById(ctx.db, parent_id)
  if (parent?.account_id !== account || (parent.kind !== 'main' && parent.kind !== 'addon'))
    throw invalid('parent_id', 'must be the main domain or an addon domain of the account')
  return parent.id
}

function refuseTaken(ctx: Context, account: string, { name, kind, parent_id }: CreateLocation): void {
  const problem = takenProblem(ctx, { name, kind, account })
  if (problem) throw new Problem('exists', `${name} ${problem}.`, { name: problem })
  const parent = parent_id === null ? undefined : domainById(ctx.db, parent_id)
  if (parent) refuseBeingDeleted(parent)
  if (kind !== 'main') refuseOneMore(ctx, counts[kind], account)
  if (kind !== 'sub') refuseManyUnverified(ctx, account)
}

function newDomain(ctx: Context, account_id: string, place: CreateLocation, body: CreateDomainBody): DomainRow {
  const values = {
    document_root: place.kind === 'parked' ? null : (body.document_root ?? defaultRoot(place.name)),
    handler: body.handler ?? defaultHandler(ctx, account_id),
    app_id: body.app_id ?? null,
    https_redirect: body.https_redirect ?? false,
    rules:
      place.kind === 'parked' ? {} : { ...newSiteRules, ...(body.php_version && { php_version: body.php_version }) },
  }
  return {
    id: ctx.id(),
    account_id,
    ...place,
    reversed: reversedOf(place.name),
    ...values,
    applied: values,
    status: 'provisioning',
    created_at: ctx.now,
    updated_at: ctx.now,
  }
}
