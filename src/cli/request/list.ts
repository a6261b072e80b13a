import type { Operation } from '../table.ts'
import type { Client, Query, Request } from './client.ts'
import { itemsIn } from './items.ts'

interface Page {
  readonly items: readonly unknown[]
  readonly total?: number
  /** Nodes whose items are missing. */
  readonly unreachable?: readonly { readonly node: string; readonly reason: string }[]
}

const MAX_PAGE_SIZE = 500

/** Reads a list page by page, up to a limit. */
export function pagesOf({ list }: Operation, client: Client, request: Request, max: number): AsyncGenerator<Page> {
  if (list === 'pages') return byPage(client, request, max)
  if (list === 'cursor') return byCursor(client, request, max)
  return list === 'marked' ? byMark(client, request, max) : allPages(client, request, max)
}

interface Marked extends Page {
  readonly next?: number | string
}

async function read(client: Client, request: Request, query: Query): Promise<Marked> {
  const { body } = await client.call({ ...request, query: { ...request.query, ...query } })
  return { ...(body as Marked), items: itemsIn(body, client.target) }
}

async function* allPages(client: Client, request: Request, max: number): AsyncGenerator<Page> {
  const { items, unreachable = [] } = await read(client, request, {})
  yield { items: items.slice(0, max), total: items.length, unreachable }
}

/** With `page` in the query, only that page. */
export async function* byPage(client: Client, request: Request, max: number): AsyncGenerator<Page> {
  const size = Number(request.query?.['per_page'] ?? Math.min(max, MAX_PAGE_SIZE))
  if (request.query?.['page'] !== undefined) return yield await read(client, request, {})
  for (let page = 1, count = 0; count < max; page++) {
    const { items, total = 0 } = await read(client, request, { page, per_page: size })
    yield { items: items.slice(0, max - count), total }
    count += items.length
    if (items.length < size || count >= total) return
  }
}

/** Each page but the last names the next. */
async function* byMark(client: Client, request: Request, max: number): AsyncGenerator<Page> {
  let query: Query = {}
  for (let count = 0; count < max; ) {
    const limit = Math.min(max - count, MAX_PAGE_SIZE)
    const { items, total, next } = await read(client, request, { ...query, limit })
    yield { items, ...(total !== undefined && { total }) }
    count += items.length
    if (next === undefined) return
    query = { cursor: next }
  }
}

/** Only waits for the first event; later pages are read without waiting. */
async function* byCursor(client: Client, request: Request, max: number): AsyncGenerator<Page> {
  let query: Query = {}
  for (let count = 0; count < max; ) {
    const limit = Math.min(max - count, MAX_PAGE_SIZE)
    const { items, next } = await read(client, request, { ...query, limit })
    yield { items }
    count += items.length
    if (items.length < limit) return
    query = { after: next, wait: undefined }
  }
}
