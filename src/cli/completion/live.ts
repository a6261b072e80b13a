import { type Client, createClient } from '../request/client.ts'
import { type Item, itemsIn } from '../request/items.ts'
import { nameOf } from '../request/naming.ts'
import { ownAccount } from '../request/own-account.ts'
import { filledPath } from '../request/plan.ts'
import { resolveId } from '../request/resolve.ts'
import { table } from '../table.ts'
import { chooseTarget } from '../target/choose.ts'
import { cached, keep } from './live-cache.ts'
import type { Offer } from './offer.ts'

/** Including Node's startup, at most a second. */
const COMPLETION_TIMEOUT_MS = 700
const MAX_PAGE_SIZE = 500

/** The line being completed. */
export interface CompletionQuery {
  /** The typed part of the name. */
  readonly typed: string
  readonly provided: ReadonlyMap<string, string>
  /** Path parameters from earlier arguments. */
  readonly places: Readonly<Record<string, string>>
}

/** Names in a collection; none if the server does not respond at once. */
export async function namesIn(ref: string, query: CompletionQuery): Promise<Offer[]> {
  const late = new Promise<Offer[]>((resolve) => {
    setTimeout(resolve, COMPLETION_TIMEOUT_MS, []).unref()
  })
  return Promise.race([read(ref, query), late])
}

async function read(ref: string, { typed, provided, places }: CompletionQuery): Promise<Offer[]> {
  const [context, dataDir] = [provided.get('--context')?.split(',')[0], provided.get('--data-dir')]
  const target = chooseTarget({ ...(context && { context }), ...(dataDir && { dataDir }) })
  const account = ref.includes('{id}') ? (provided.get('--account') ?? process.env['PANEL_ACCOUNT']) : undefined
  const searched = operationAt(ref)?.fields.some(({ name }) => name === 'q') ?? false
  const key = [
    target.url.href,
    target.socket,
    target.token,
    target.session?.cookie,
    ref,
    account,
    places,
    searched && typed,
  ]
  const before = cached(key)
  if (before) return before
  const client = createClient(target)
  const id = places['id'] ?? (ref.includes('{id}') ? await accountIn(client, account) : undefined)
  if (id === undefined && ref.includes('{id}')) return everywhere(client, ref, typed)
  const path = filledPath(ref, { ...places, ...(id !== undefined && { id }) })
  const items = await latest(client, ref, path, searched ? typed : '')
  const offers = items.map((item): Offer => [nameOf(item), meaningOf(item)])
  keep(key, offers)
  return offers
}

const accountIn = async (client: Client, named: string | undefined): Promise<string | undefined> =>
  named ? resolveId(client, '/accounts', '/accounts', named) : (await ownAccount(client))?.id

/** Matching names in all accounts, with their account. */
async function everywhere(client: Client, ref: string, prefix: string): Promise<Offer[]> {
  const kind = table.collections[ref]?.kind
  if (kind === undefined || prefix.length < 2) return []
  const query = { prefix, kind }
  const { body } = await client.call({
    method: 'GET',
    path: '/lookup',
    query,
    timeout: COMPLETION_TIMEOUT_MS,
    attempts: 1,
  })
  return itemsIn(body, client.target).map((item): Offer => [String(item['name']), String(item['username'] ?? '')])
}

const operationAt = (path: string) =>
  Object.values(table.operations).find((one) => one.method === 'GET' && one.path === path && one.list)

/** The first page and, if there are more, the last, which has the newest. */
async function latest(client: Client, ref: string, path: string, q: string): Promise<Item[]> {
  const paged = operationAt(ref)?.list === 'pages'
  const page = async (number: number): Promise<{ items: Item[]; total: number }> => {
    const query = paged ? { per_page: MAX_PAGE_SIZE, ...(q && { q }), ...(number > 1 && { page: number }) } : {}
    const { body } = await client.call({ method: 'GET', path, query, timeout: COMPLETION_TIMEOUT_MS, attempts: 1 })
    return { items: itemsIn(body, client.target), total: (body as { total?: number }).total ?? 0 }
  }
  const first = await page(1)
  const last = Math.ceil(first.total / MAX_PAGE_SIZE)
  return paged && last > 1 ? [...first.items, ...(await page(last)).items] : first.items
}

/** A name's description is its id, an id's is what it is. */
function meaningOf(item: Item): string {
  if (nameOf(item) !== item.id) return item.id
  const telling = ['url', 'kind', 'status', 'event_type'].map((field) => item[field])
  return telling.filter((value) => typeof value === 'string').join(' ')
}
