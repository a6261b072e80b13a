import { type OperationId, operations } from '../../contract/index.ts'
import type { Declaration } from '../../contract/operation.ts'
import { inLanguageOf } from '../http/language.ts'
import { cursorIn } from '../kit/format/log-cursor.ts'
import { MAX_PAGE_SIZE } from '../kit/lists/pager.tsx'
import type { Screen } from '../kit/screen.ts'
import type { PanelRequest } from '../panel-request.ts'
import { requestedFragment } from './fragments.tsx'
import type { PageMatch } from './match-page.ts'
import type { PageContext } from './page-context.ts'
import { idsOf, namedFor, paramsOf } from './resolve-ids.ts'
import type { Router } from './router.ts'

/** A page's request, as far as it is known before the view is made. */
export interface PageRequest {
  readonly request: PanelRequest
  readonly match: PageMatch
  readonly context: PageContext
  readonly ids: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly map: Router
}

export async function loadPage(
  request: PanelRequest,
  map: Router,
  match: PageMatch,
  context: PageContext,
): Promise<PageRequest> {
  const ids = await idsOf(request, match.names, context.accountId)
  return { request, map, match, context, ids, query: request.url.searchParams }
}

/** An operation's path parameters: from the address, and the item that a form is about. */
export const paramsFor = ({ match, ids, context }: PageRequest, op: OperationId, item?: string) =>
  paramsOf(op, namedFor(match.screen, op, Object.values(ids), item), context.accountId)

export const pathOf = ({ url }: PanelRequest): string => url.pathname

/** A path that is not UTF-8 is in the address as bytes. */
export const pathInQuery = ({ c }: PanelRequest): Readonly<Record<string, string>> => {
  const bytes = c.req.query('path_bytes')
  return bytes === undefined ? {} : { path_bytes: bytes }
}

type PageQuery = Readonly<Record<string, string>>

/** The input of a page's operation: path parameters from the address, query as the screen fixes it. */
export const askOf = (page: PageRequest, id: OperationId, fixed: Screen['query']) =>
  queryFor(page, id, interpolated(page, fixed))

/** The input of the page's main read: includes the page's own query. */
export function askOfPage(page: PageRequest, id = page.match.screen.shows) {
  const { match, request, query } = page
  const { path, ...others } = interpolated(page, match.screen.query)
  const fixed = path === undefined || query.has('path_bytes') ? others : { path, ...others }
  const asks = inLanguageOf(request.c, () => match.screen.asks?.(query, request.screens.now()))
  const op: Declaration = operations[id]
  return queryFor(page, id, { ...filtersIn(op, query), ...fixed, ...asks, ...sinceIn(page, op) })
}

function queryFor(page: PageRequest, id: OperationId, query: PageQuery) {
  const all = Object.entries({ ...newestFirst(operations[id]), ...query })
  return { params: paramsFor(page, id), query: Object.fromEntries(all.filter(([, value]) => value !== '')) }
}

const MAX_LINES = '500'

/** A live page asks only for new lines. */
function sinceIn({ request, match, query }: PageRequest, { query: shape }: Declaration): PageQuery {
  const { since } = match.screen
  const cursor = cursorIn(query)
  if (since === undefined || cursor === undefined || requestedFragment(request.c) !== 'live') return {}
  return { [since]: cursor, ...(shape && 'limit' in shape.shape && { limit: MAX_LINES }) }
}

/** The screen's fixed query, with ids filled in from the address. */
const interpolated = ({ ids }: PageRequest, fixed: Screen['query'] = {}): PageQuery =>
  Object.fromEntries(
    Object.entries(fixed).map(([name, text]) => [name, text.replace(/\{(\w+)\}/g, (_, called) => ids[called] ?? '')]),
  )

const newestFirst = ({ cli, query }: Declaration): PageQuery =>
  cli?.newest && query && 'order' in query.shape ? { order: 'desc' } : {}

/** The list parameters in the address: only those that the operation accepts, with a capped page size. */
function filtersIn({ query: shape }: Declaration, query: URLSearchParams): PageQuery {
  const taken = [...query].filter(([name, value]) => value !== '' && shape && name in shape.shape && name !== 'wait')
  const all = Object.fromEntries(taken)
  return Number(all['per_page']) > MAX_PAGE_SIZE ? { ...all, per_page: String(MAX_PAGE_SIZE) } : all
}
