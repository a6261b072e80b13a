import { createClient } from './client.ts'
import { filledPath } from './input.ts'
import { itemsIn } from './items.ts'
import { nameOf } from './output/identity.ts'
import { chooseTarget } from './profile.ts'
import { resolveId } from './resolve.ts'
import { table } from './table.ts'

const budget = 800

type Offer = readonly [string, string]

/** Names in a collection, from the server; none where it does not answer at once. */
export async function namesIn(ref: string, given: ReadonlyMap<string, string>): Promise<Offer[]> {
  const late = new Promise<Offer[]>((resolve) => {
    setTimeout(resolve, budget, []).unref()
  })
  return Promise.race([read(ref, given), late])
}

async function read(ref: string, given: ReadonlyMap<string, string>): Promise<Offer[]> {
  const [context, dataDir] = [given.get('--context')?.split(',')[0], given.get('--data-dir')]
  const client = createClient(chooseTarget({ ...(context && { context }), ...(dataDir && { dataDir }) }))
  const account = given.get('--account')
  const id = account && ref.includes('{id}') ? await resolveId(client, '/accounts', '/accounts', account) : ''
  const query = table.collections[ref]?.paged ? { per_page: 500 } : {}
  const { body } = await client.call({ method: 'GET', path: filledPath(ref, { id }), query, timeout: budget })
  return itemsIn(body, client.target).map((item) => [nameOf(item), item.id])
}
