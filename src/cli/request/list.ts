import type { Operation } from '../table.ts'
import type { Client, Request, RequestQuery } from './client.ts'
import { itemsIn } from './items.ts'

interface ResponsePage {
  readonly items: readonly unknown[]
  readonly total?: number
  /** Nodes whose items are missing. */
  readonly unreachable?: readonly { readonly node: string; readonly reason: string }[]
}

const MAX_PAGE_SIZE = 500

/** Reads a list page by page, up to a limit. */
export function pagesOf(
  { list }: Operation,
  client: Client,
  request: Request,
  max: number,
): AsyncGenerator<ResponsePage> {
  if (list === 'pages') return byPage(client, request, max)
  if (list === 'cursor') return byCursor(client, request, max)
  if (list === 'marked') return byMark(client, request, max, 'cursor')
  return list === 'after' ? byMark(client, request, max, 'after') : allPages(client, request, max)
}

interface Marked extends ResponsePage {
  readonly next?: number | string
}

async function read(client: Client, request: Request, query: RequestQuery): Promise<Marked> {
  const { body } = await client.call({ ...request, query: { ...request.query, ...query } })
  return { ...(body as Marked), items: itemsIn(body, client.target) }
}

async function* allPages(client: Client, request: Request, max: number): AsyncGenerator<ResponsePage> {
  const { items, unreachable = [] } = await read(client, request, {})
  yield { items: items.slice(0, max), total: items.length, unreachable }
}

/** With `page` in the query, only that page. */
export async function* byPage(client: Client, request: Request, max: number): AsyncGenerator<ResponsePage> {
  const size = Number(request.query?.['per_page'] ?? Math.min(max, MAX_PAGE_SIZE))
  if (request.query?.['page'] !== undefined) return yield await read(client, request, {})
  for (let page = 1, count = 0; count < max; page++) {
    const { items, total = 0 } = await read(client, request, { page, per_page: size })
    yield { items: items.slice(0, max - count), total }
    count += items.length
    if (items.length < size || count >= total) return
  }
}

/** Each page but the last names the next, for a parameter of the list. */
async function* byMark(
  client: Client,
  request: Request,
  max: number,
  parameter: 'cursor' | 'after',
): AsyncGenerator<ResponsePage> {
  let query: RequestQuery = {}
  for (let count = 0; count < max; ) {
    const limit = Math.min(max - count, MAX_PAGE_SIZE)
    const { items, total, next } = await read(client, request, { ...query, limit })
    yield { items, ...(total !== undefined && { total }) }
    count += items.length
    if (next === undefined) return
    query = { [parameter]: next }
  }
}

/**
 * Only waits for the first event; later pages are read without waiting. With `order=desc` from the end. A server that
 * answers the same place again ends the list.
 */
async function* byCursor(client: Client, request: Request, max: number): AsyncGenerator<ResponsePage> {
  let query: RequestQuery = {}
  let place: unknown
  for (let count = 0; count < max; ) {
    const limit = Math.min(max - count, MAX_PAGE_SIZE)
    const { items, next } = await read(client, request, { ...query, limit })
    yield { items }
    count += items.length
    if (items.length < limit || next === place) return
    place = next
    query = request.query?.['order'] === 'desc' ? { before: next } : { after: next, wait: undefined }
  }
}
