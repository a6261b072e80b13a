import type { View } from '../output/view.ts'
import type { Client, Request, RequestQuery } from '../request/client.ts'
import { itemsIn } from '../request/items.ts'
import type { Operation } from '../table.ts'
import { note } from '../terminal.ts'

/** Says that a table is empty, and what there is instead; an empty document says so itself. */
export async function explainEmpty(view: View, operation: Operation, client: Client, request: Request): Promise<void> {
  if (view.output !== 'table' || view.quiet || view.select !== undefined) return
  const similar = operation.path.endsWith('/lookup') ? await similarNames(client, request) : []
  note(similar.length > 0 ? 'no exact match; these begin with it:' : emptyText(operation, request.query))
  for (const line of similar) note(line)
}

const paging = new Set(['order', 'page', 'per_page'])

/** `no accounts`, by the summary of the operation; `nothing matches` with a filter. */
function emptyText({ summary }: Operation, query: RequestQuery = {}): string {
  const isFiltered = Object.keys(query).some((name) => !paging.has(name))
  const [, members] = /^List (?:an? [\w-]+'s |the )?([\w -]+?)(?: of .*| that .*)?$/.exec(summary) ?? []
  return isFiltered || members === undefined ? 'nothing matches' : `no ${members}`
}

const MIN_PREFIX_LENGTH = 2

/** After a lookup of a complete name that found nothing: a line for each name that begins with it. */
async function similarNames(client: Client, { query = {}, ...request }: Request): Promise<string[]> {
  const { name, ...rest } = query
  if (typeof name !== 'string' || name.length < MIN_PREFIX_LENGTH) return []
  const { body } = await client.call({ ...request, query: { ...rest, prefix: name } })
  return itemsIn(body, client.target).map(
    ({ kind, name: found, username }) =>
      `  ${String(found)} (${String(kind)}${username === undefined ? '' : ` of ${String(username)}`})`,
  )
}
