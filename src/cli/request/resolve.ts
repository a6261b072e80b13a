import { ulid } from '../../shared/patterns.ts'
import { CliError, noSuch, notAnId, usage } from '../errors.ts'
import { didYouMean } from '../similar.ts'
import { type Collection, type Command, operationOf, table } from '../table.ts'
import type { Client, Query } from './client.ts'
import { type Item, itemsIn } from './items.ts'
import { ownAccountOf } from './own-account.ts'

const ulidPattern = new RegExp(`^${ulid}$`)

export const isId = (text: string): boolean => ulidPattern.test(text.toUpperCase()) && text.length === 26

/** A typed id, for lists whose members have no names. */
export function checkedId(noun: string, list: string, text: string): string {
  if (isId(text)) return text.toUpperCase()
  throw notAnId(noun.replaceAll('-', ' '), text, commandThatLists(list))
}

function commandThatLists(path: string): string {
  const lists = (id: string | undefined): boolean =>
    id !== undefined && operationOf(id).path === path && operationOf(id).list !== undefined
  const found = table.commands.find(({ operation, variant }: Command) => lists(operation) || lists(variant))
  return found ? `panel ${found.words.join(' ')}` : 'panel --help'
}

/** Resolves a name in a collection such as `/packages` to an id; ids pass through. */
export async function resolveId(client: Client, ref: string, path: string, name: string): Promise<string> {
  if (isId(name)) return name.toUpperCase()
  if (ref === '/accounts' && name === 'root') return rootId(client)
  return (await findByName(client, ref, path, name)).id
}

/** Finds a member of a collection by name. `path` is `ref` with its parameters filled in. */
async function findByName(client: Client, ref: string, path: string, name: string): Promise<Item> {
  const collection = table.collections[ref]
  if (!collection) throw new Error(`the command table has no collection ${ref}`)
  const items = await candidates(client, collection, path, name).catch((error) => ownAccount(client, ref, name, error))
  const same = items.filter((item) => String(item[collection.name]).toLowerCase() === name.toLowerCase())
  const exact = same.length > 1 ? same.filter((item) => item[collection.name] === name) : same
  if (exact.length > 1) throw ambiguous(collection, name, exact)
  if (!exact[0]) throw noSuch(collection.noun, name, await meant(client, collection, path, name))
  return exact[0]
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

/** Root owns the default package. */
async function rootId(client: Client): Promise<string> {
  const [first] = await itemsOf(client, '/packages', { q: 'default', per_page: 1 })
  if (first?.['owner'] !== 'root') throw noSuch('account', 'root')
  return String(first['owner_id'])
}

/** A searchable list returns the exact match first; others are read in full. */
async function candidates(client: Client, collection: Collection, path: string, name: string): Promise<Item[]> {
  if (collection.searched) return itemsOf(client, path, { q: name, per_page: 1 })
  if (!collection.paged) return itemsOf(client, path, {})
  const all: Item[] = []
  for (let page = 1; ; page++) {
    const items = await itemsOf(client, path, { page, per_page: 500 })
    all.push(...items)
    if (items.length < 500) return all
  }
}

async function itemsOf(client: Client, path: string, query: Query): Promise<Item[]> {
  const { body } = await client.call({ method: 'GET', path, query })
  return itemsIn(body, client.target)
}

/** An account token cannot list accounts, but knows its own. */
async function ownAccount(client: Client, ref: string, name: string, error: unknown): Promise<Item[]> {
  if (ref !== '/accounts' || !(error instanceof CliError) || error.problem.status !== 403) throw error
  const own = await ownAccountOf(client, error)
  if (own.username !== name.toLowerCase()) throw noSuch('account', name)
  return [own]
}

const ambiguous = (collection: Collection, name: string, items: readonly Item[]): CliError =>
  usage(`${items.length} ${collection.noun}s are called ${name}`, `use an id: ${items.map(({ id }) => id).join(', ')}`)
