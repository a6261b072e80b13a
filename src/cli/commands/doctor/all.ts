import type { Client, RequestQuery } from '../../request/client.ts'
import { byPage } from '../../request/list.ts'

const timeout = 5000

/** All items of a paged list, 500 per page. */
export async function allOf<Item>(client: Client, path: string, query: RequestQuery = {}): Promise<Item[]> {
  const all: Item[] = []
  for await (const { items } of byPage(client, { method: 'GET', path, query, timeout }, Number.POSITIVE_INFINITY))
    all.push(...(items as readonly Item[]))
  return all
}
