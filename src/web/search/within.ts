import { Problem } from '../../contract/problem.ts'
import { matchPage } from '../pages/match-page.ts'
import { readPageContext } from '../pages/page-context.ts'
import { loadPage, type PageRequest } from '../pages/page-request.ts'
import type { Hit } from './hit.ts'
import { hitsFor, MAX_HITS } from './hits.ts'

/** The account among whose pages an administrator searches, as the address names it. */
export const accountIn = ({ query }: PageRequest): string | undefined => query.get('within') || undefined

/** What is found in that account comes first. */
export async function hitsWithin(
  page: PageRequest,
  account: string | undefined,
  text: string,
): Promise<readonly Hit[]> {
  const all = await hitsFor(page, text)
  const place = account === undefined ? undefined : await accountPage(page, account)
  if (!place) return all
  const own = (await hitsFor(place, text)).map((hit) => ({ of: account, ...hit }))
  const isOwn = ({ href }: Hit): boolean => own.some((one) => one.href === href)
  return [...own, ...all.filter((hit) => !isOwn(hit))].slice(0, MAX_HITS)
}

/** The home of an account as the session sees it; undefined if it may not. */
async function accountPage({ request, map, query }: PageRequest, account: string): Promise<PageRequest | undefined> {
  const match = matchPage(map, request.panel, `/${request.panel}/accounts/${encodeURIComponent(account)}`)
  if (match?.of !== 'account' || match.account === undefined) return undefined
  try {
    const context = await readPageContext(request, match)
    return context.account && { ...(await loadPage(request, map, match, context)), query }
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return undefined
    throw error
  }
}
