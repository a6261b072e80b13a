import type { Context } from '../../../runtime/operations/context.ts'
import type { Db } from '../../../store/open.ts'
import { servedDomains } from '../../domains/store.ts'
import type { DomainRow } from '../../domains/tables.ts'

export interface Page {
  readonly domain: string
  readonly path: string
}

const MAX_PAGES = 50

const isSite = ({ kind, name }: DomainRow): boolean => kind !== 'parked' && !name.startsWith('*.')

/** The pages that are named, else the first one of each site. */
export function pagesOf(db: Db, account: { id: string; main_domain: string }, named: readonly string[] | undefined) {
  const sites = servedDomains(db, account.id).filter(isSite)
  if (!named) return sites.slice(0, MAX_PAGES).map(({ name }): Page => ({ domain: name, path: '/' }))
  return named.map((one): Page => {
    const at = one.indexOf('/')
    return { domain: at === 0 ? account.main_domain : one.slice(0, at), path: one.slice(at) }
  })
}

/** The first domain among the pages that the account does not have. */
export function unknownIn({ db }: Pick<Context, 'db'>, account: string, pages: readonly Page[]): string | undefined {
  const own = new Set(servedDomains(db, account).map(({ name }) => name))
  return pages.find(({ domain }) => !own.has(domain))?.domain
}
