import { type OperationId, operations } from '../contract/index.ts'
import type { Declaration } from '../contract/operation.ts'
import type { Around } from './around.ts'
import { mostRows } from './kit/pager.tsx'
import type { Screen } from './kit/screen.ts'
import { cursorIn } from './kit/since.ts'
import type { SiteMap } from './map.ts'
import { idsOf, namedFor, paramsOf } from './names.ts'
import { partAsked } from './part.tsx'
import type { Place } from './place.ts'
import type { Served } from './served.ts'

/** A page's request, as far as it is known before the view is made. */
export interface Looking {
  readonly served: Served
  readonly place: Place
  readonly around: Around
  readonly ids: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly map: SiteMap
}

export async function lookAt(served: Served, map: SiteMap, place: Place, around: Around): Promise<Looking> {
  const ids = await idsOf(served, place.names, around.accountId)
  return { served, map, place, around, ids, query: served.url.searchParams }
}

/** An operation's path parameters: from the address, and the item that a form is about. */
export const paramsFor = ({ place, ids, around }: Looking, op: OperationId, item?: string) =>
  paramsOf(op, namedFor(place.screen, op, Object.values(ids), item), around.accountId)

export const pathOf = ({ url }: Served): string => url.pathname

/** A path that is not UTF-8 is in the address as bytes. */
export const pathInQuery = ({ c }: Served): Readonly<Record<string, string>> => {
  const bytes = c.req.query('path_bytes')
  return bytes === undefined ? {} : { path_bytes: bytes }
}

type Query = Readonly<Record<string, string>>

/** The input of a page's operation: path parameters from the address, query as the screen fixes it. */
export const askOf = (looking: Looking, id: OperationId, fixed: Screen['query']) =>
  asked(looking, id, filled(looking, fixed))

/** The input of the page's main read: includes the page's own query. */
export function askOfPage(looking: Looking, id = looking.place.screen.shows) {
  const { place, served, query } = looking
  const { path, ...others } = filled(looking, place.screen.query)
  const fixed = path === undefined || query.has('path_bytes') ? others : { path, ...others }
  const asks = place.screen.asks?.(query, served.screens.now())
  const op: Declaration = operations[id]
  return asked(looking, id, { ...askedIn(op, query), ...fixed, ...asks, ...sinceIn(looking, op) })
}

function asked(looking: Looking, id: OperationId, query: Query) {
  const all = Object.entries({ ...newestFirst(operations[id]), ...query })
  return { params: paramsFor(looking, id), query: Object.fromEntries(all.filter(([, value]) => value !== '')) }
}

const mostLines = '500'

/** A live page asks only for new lines. */
function sinceIn({ served, place, query }: Looking, { query: shape }: Declaration): Query {
  const { since } = place.screen
  const cursor = cursorIn(query)
  if (since === undefined || cursor === undefined || partAsked(served.c) !== 'live') return {}
  return { [since]: cursor, ...(shape && 'limit' in shape.shape && { limit: mostLines }) }
}

/** The screen's fixed query, with ids filled in from the address. */
const filled = ({ ids }: Looking, fixed: Screen['query'] = {}): Query =>
  Object.fromEntries(
    Object.entries(fixed).map(([name, text]) => [name, text.replace(/\{(\w+)\}/g, (_, called) => ids[called] ?? '')]),
  )

const newestFirst = ({ cli, query }: Declaration): Query =>
  cli?.newest && query && 'order' in query.shape ? { order: 'desc' } : {}

/** The list parameters in the address: only those that the operation accepts, with a capped page size. */
function askedIn({ query: shape }: Declaration, query: URLSearchParams): Query {
  const taken = [...query].filter(([name, value]) => value !== '' && shape && name in shape.shape && name !== 'wait')
  const all = Object.fromEntries(taken)
  return Number(all['per_page']) > mostRows ? { ...all, per_page: String(mostRows) } : all
}
