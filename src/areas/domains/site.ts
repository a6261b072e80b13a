import type { DomainKind } from '../../contract/domains.ts'
import { invalid } from '../../contract/problem.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { appSiteOf } from './part.ts'
import type { SiteValues } from './tables.ts'

interface DomainSite {
  readonly document_root?: string
  readonly handler?: SiteValues['handler']
  readonly app_id?: string
  readonly php_version?: string | null
}

interface SiteFolder {
  readonly kind: DomainKind
  readonly account: string
  /** The current handler. */
  readonly handler?: SiteValues['handler']
}

/** 400 for an invalid site. */
export function refuseOwnSite(ctx: Context, place: SiteFolder, site: DomainSite): void {
  for (const field of ['document_root', 'handler', 'app_id', 'php_version'] as const)
    if (place.kind === 'parked' && site[field] !== undefined)
      throw invalid(field, 'is not for an alias domain, which shows the site of its parent')
  if (site.app_id === undefined) {
    if (site.handler === 'app') throw invalid('app_id', 'is required for the handler app')
    return
  }
  if ((site.handler ?? place.handler) !== 'app') throw invalid('app_id', 'is only for the handler app')
  if (!appSiteOf(ctx.runtime, ctx.db, place.account, site.app_id))
    throw invalid('app_id', 'names no app of this account')
}
