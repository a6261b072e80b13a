import type { Operation } from '../table.ts'
import type { Client, Query, Request } from './client.ts'
import { itemsIn } from './items.ts'

interface Page {
  readonly items: readonly unknown[]
  readonly total?: number
  /** Nodes whose items are missing. */
  readonly unreachable?: readonly { readonly node: string; readonly reason: string }[]
}

const largestPage = 500

/** Reads a list page by page, up to a limit. */
export function pagesOf({ list }: Operation, client: Client, request: Request, most: number): AsyncGenerator<Page> {
  if (list === 'pages') return byPage(client, request, most)
  if (list === 'cursor') return byCursor(client, request, most)
  return list === 'marked' ? byMark(client, request, most) : whole(client, request, most)
}

interface Marked extends Page {
  readonly next?: number | string
}

async function read(client: Client, request: Request, query: Query): Promise<Marked> {
  const { body } = await client.call({ ...request, query: { ...request.query, ...query } })
  return { ...(body as Marked), items: itemsIn(body, client.target) }
}

async function* whole(client: Client, request: Request, most: number): AsyncGenerator<Page> {
  const { items, unreachable = [] } = await read(client, request, {})
  yield { items: items.slice(0, most), total: items.length, unreachable }
}

/** With `page` in the query, only that page. */
export async function* byPage(client: Client, request: Request, most: number): AsyncGenerator<Page> {
  const size = Number(request.query?.['per_page'] ?? Math.min(most, largestPage))
  if (request.query?.['page'] !== undefined) return yield await read(client, request, {})
  for (let page = 1, shown = 0; shown < most; page++) {
    const { items, total = 0 } = await read(client, request, { page, per_page: size })
    yield { items: items.slice(0, most - shown), total }
    shown += items.length
    if (items.length < size || shown >= total) return
  }
}

/** Each page but the last names the next. */
async function* byMark(client: Client, request: Request, most: number): AsyncGenerator<Page> {
  let query: Query = {}
  for (let shown = 0; shown < most; ) {
    const limit = Math.min(most - shown, largestPage)
    const { items, total, next } = await read(client, request, { ...query, limit })
    yield { items, ...(total !== undefined && { total }) }
    shown += items.length
    if (next === undefined) return
    query = { cursor: next }
  }
}

/** Only waits for the first event; later pages are read without waiting. */
async function* byCursor(client: Client, request: Request, most: number): AsyncGenerator<Page> {
  let query: Query = {}
  for (let shown = 0; shown < most; ) {
    const limit = Math.min(most - shown, largestPage)
    const { items, next } = await read(client, request, { ...query, limit })
    yield { items }
    shown += items.length
    if (items.length < limit) return
    query = { after: next, wait: undefined }
  }
}
