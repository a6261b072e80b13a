import { didYouMean } from '../../shared/similar.ts'
import { type Collection, table } from '../table.ts'
import type { Client } from './client.ts'
import { itemsIn, itemsOf } from './items.ts'

/** Whose it is, if the name is of something else; else similar names. */
export async function hintFor(client: Client, ref: string, path: string, name: string): Promise<string | undefined> {
  const collection = table.collections[ref]
  const other = ref === '/accounts' || path.startsWith('/accounts/') ? await holderOf(client, path, name) : undefined
  return other ?? (collection && meant(client, collection, path, name))
}

/** `bob.example belongs to carol`: in a list of another account with the option that names it. */
async function holderOf(client: Client, path: string, name: string): Promise<string | undefined> {
  const [, , account] = path.split('/')
  const { body } = await client
    .call({ method: 'GET', path: '/lookup', query: { name } })
    .catch(() => ({ body: { items: [] } }))
  const found = itemsIn(body, client.target).find(
    ({ kind, username, account_id }) =>
      typeof kind === 'string' && kind !== 'account' && username !== undefined && account_id !== account,
  )
  if (!found) return undefined
  const holder = String(found['username'])
  return `${name} belongs to ${holder}${account === undefined ? '' : `: add -a ${holder}`}`
}

/** Similar names, among those with the same beginning. */
async function meant(client: Client, collection: Collection, path: string, name: string): Promise<string | undefined> {
  const search = collection.searched ? { q: name.slice(0, 2) } : {}
  const page = collection.paged ? { per_page: 500 } : {}
  const items = await itemsOf(client, path, { ...search, ...page }).catch(() => [])
  return didYouMean(
    name,
    items.map((item) => String(item[collection.name])),
  )
}
