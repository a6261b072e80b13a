import type { DomainKind } from '../../contract/domains.ts'
import { invalid } from '../../contract/problem.ts'
import type { SiteValues } from './tables.ts'

interface Site {
  readonly document_root?: string
  readonly handler?: SiteValues['handler']
  readonly app_id?: string
}

/** 400 for what the site of a domain cannot be. */
export function refuseOwnSite(kind: DomainKind, site: Site): void {
  for (const field of ['document_root', 'handler', 'app_id'] as const)
    if (kind === 'parked' && site[field] !== undefined)
      throw invalid(field, 'is not for a parked domain, which shows the site of its parent')
  if (site.app_id !== undefined) throw invalid('app_id', 'names no app of this account')
  if (site.handler === 'app') throw invalid('app_id', 'is required for the handler app')
}
