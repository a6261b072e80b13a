import { exit } from '../../shared/exit.ts'
import { ulid } from '../../shared/patterns.ts'
import { CliError, noSuch } from '../errors.ts'
import { type Collection, table } from '../table.ts'
import type { Client } from './client.ts'
import { type Item, itemsIn, itemsOf } from './items.ts'
import { ownAccountOf } from './own-account.ts'

const ulidPattern = new RegExp(`^${ulid}$`)

export const isId = (text: string): boolean => ulidPattern.test(text.toUpperCase()) && text.length === 26

/** The least of an id that is accepted for all of it, and shown for it. */
export const MIN_ID_PREFIX = 6
const prefixPattern = new RegExp(`^[0-7][0-9A-HJKMNP-TV-Z]{${MIN_ID_PREFIX - 1},24}$`)

const isIdPrefix = (text: string): boolean => prefixPattern.test(text.toUpperCase())

/** Whether it may be an id, or the beginning of one. */
export const isIdLike = (text: string): boolean => isId(text) || isIdPrefix(text)

/** A typed id or the unique beginning of one, for lists whose members have no names. */
export async function resolveListed(client: Client, noun: string, path: string, text: string): Promise<string> {
  if (isId(text)) return text.toUpperCase()
  const words = noun.replaceAll('-', ' ')
  const found = isIdPrefix(text) ? await idBeginning(client, words, path, text) : undefined
  if (found !== undefined) return found
  // Lists with pages are too long to be of help.
  const items = isPaged(path) ? [] : (await pageOf(client, path, 1)).items
  const described = (await import('./choices.ts')).described(words, path, text, items)
  if (typeof described === 'string') return described
  throw new CliError(exit.notFound, described)
}

async function idBeginning(client: Client, noun: string, path: string, typed: string): Promise<string | undefined> {
  const prefix = typed.toUpperCase()
  const found = (await membersFrom(client, path, prefix)).filter(({ id }) => id.startsWith(prefix))
  if (found.length > 1) throw await ambiguous(`the ids of ${found.length} ${noun}s begin with ${typed}`, found)
  return found[0]?.id
}

/** Lists are in the order of ids, so the page on which a prefix begins is found by halving. */
async function membersFrom(client: Client, path: string, prefix: string): Promise<Item[]> {
  const first = await pageOf(client, path, 1)
  const isInOrder = first.items.every(({ id }, at) => at === 0 || first.items[at - 1]!.id <= id)
  const pages = Math.ceil(first.total / MAX_PAGE_SIZE)
  let [low, high] = [1, isInOrder ? pages : 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const { items } = await pageOf(client, path, middle)
    if ((items.at(-1)?.id ?? '') < prefix) low = middle + 1
    else high = middle
  }
  const found = low === 1 ? first.items : (await pageOf(client, path, low)).items
  for (let next = low + 1; next <= pages && (!isInOrder || found.at(-1)!.id.startsWith(prefix)); next++)
    found.push(...(await pageOf(client, path, next)).items)
  return found
}

async function pageOf(client: Client, path: string, page: number): Promise<{ items: Item[]; total: number }> {
  const query = isPaged(path) ? { page, per_page: MAX_PAGE_SIZE } : {}
  const { body } = await client.call({ method: 'GET', path, query })
  const items = itemsIn(body, client.target)
  return { items, total: (body as { total?: number }).total ?? items.length }
}

/** Whether the list at a path, with its parameters filled in, has pages. */
function isPaged(path: string): boolean {
  const parts = path.split('/')
  const fits = (template: string): boolean => {
    const names = template.split('/')
    return names.length === parts.length && names.every((name, at) => name.startsWith('{') || name === parts[at])
  }
  return Object.values(table.operations).some((one) => one.list === 'pages' && fits(one.path))
}

const MAX_PAGE_SIZE = 500

/** Resolves a name in a collection such as `/packages`, or the beginning of an id, to an id; ids pass through. */
export async function resolveId(client: Client, ref: string, path: string, name: string): Promise<string> {
  if (isId(name)) return name.toUpperCase()
  if (ref === '/accounts' && name === 'root') return rootId(client)
  return (await findByName(client, ref, path, name)).id
}

/** Finds a member of a collection by name. `path` is `ref` with its parameters filled in. */
async function findByName(client: Client, ref: string, path: string, name: string): Promise<{ id: string }> {
  const collection = table.collections[ref]
  if (!collection) throw new Error(`the command table has no collection ${ref}`)
  const parts = partsOf(collection, name)
  const items = await candidates(client, ref, path, parts.name).catch((error) =>
    ownAccount(client, ref, parts.name, error),
  )
  const exact = matching(collection, parts, items)
  if (exact.length > 1) throw await severalCalled(collection, name, exact)
  if (exact[0]) return exact[0]
  const prefixed = isPrefixed(collection)
    ? items.filter((item) => String(item[collection.name]).endsWith(`_${name}`))
    : []
  if (prefixed.length === 1) return prefixed[0]!
  const id = isIdPrefix(name) ? await idBeginning(client, collection.noun, path, name) : undefined
  if (id !== undefined) return { id }
  const { hintFor } = await import('./name-hint.ts')
  throw noSuch(collection.noun, name, await hintFor(client, ref, path, name))
}

interface ResolvedObject {
  readonly name: string
  /** Below the domain that is its name. */
  readonly path?: string
  /** What tells members of one name apart, such as `TXT`. */
  readonly type?: string
  readonly value?: string
}

/** `shop.example/blog`; `@`, `@ TXT` and `@ TXT "v=spf1 …"`. */
function partsOf({ type, byPath }: Collection, typed: string): ResolvedObject {
  if (byPath) return { name: domainIn(typed), path: typed.slice(domainIn(typed).length).replace(/\/+$/, '') || '/' }
  const [, name, kind, value] = /^(\S+)\s+(\S+)(?:\s+(.+))?$/.exec(type ? typed.trim() : '') ?? []
  if (name === undefined || kind === undefined) return { name: typed }
  return { name, type: kind, ...(value !== undefined && { value: value.replace(/^"(.*)"$/, '$1') }) }
}

export const domainIn = (typed: string): string => typed.split('/', 1)[0]!

/** Names that begin with the account's prefix, which can be left out, as when they are created. */
const isPrefixed = ({ kind }: Collection): boolean => kind === 'database' || kind === 'database_user'

function matching(
  collection: Collection,
  { name, path, type, value }: ResolvedObject,
  items: readonly Item[],
): readonly Item[] {
  const same = items.filter(
    (item) =>
      String(item[collection.name]).toLowerCase() === name.toLowerCase() &&
      (path === undefined || item['path'] === path),
  )
  const ofType = type === undefined ? same : same.filter((item) => String(item['type']) === type.toUpperCase())
  const withValue = value === undefined ? ofType : ofType.filter((item) => String(item['value']) === value)
  const exact = withValue.filter((item) => item[collection.name] === name)
  return withValue.length > 1 && exact.length > 0 ? exact : withValue
}

/** Root owns the default package. */
async function rootId(client: Client): Promise<string> {
  const [first] = await itemsOf(client, '/packages', { q: 'default', per_page: 1 })
  if (first?.['owner'] !== 'root') throw noSuch('account', 'root')
  return String(first['owner_id'])
}

/** A searchable list returns the exact matches first; others are read in full. */
async function candidates(client: Client, ref: string, path: string, name: string): Promise<Item[]> {
  const collection = table.collections[ref]!
  const isUnique =
    (collection.kind !== undefined && !isPrefixed(collection)) || ref === '/accounts' || ref === '/resellers'
  if (collection.searched) return itemsOf(client, path, { q: name, per_page: isUnique ? 1 : MAX_PAGE_SIZE })
  if (!collection.paged) return itemsOf(client, path, {})
  const all: Item[] = []
  for (let page = 1; ; page++) {
    const items = await itemsOf(client, path, { page, per_page: 500 })
    all.push(...items)
    if (items.length < 500) return all
  }
}

/** An account token cannot list accounts, but knows its own. */
async function ownAccount(client: Client, ref: string, name: string, error: unknown): Promise<Item[]> {
  if (ref !== '/accounts' || !(error instanceof CliError) || error.problem.status !== 403) throw error
  const own = await ownAccountOf(client, error)
  if (own.username !== name.toLowerCase()) throw noSuch('account', name)
  return [own]
}

function severalCalled(collection: Collection, name: string, items: readonly Item[]): Promise<CliError> {
  const type = collection.type ? `name its type too, such as '${name} ${String(items[0]?.['type'])}', or ` : ''
  const isTyped = items.every((item) => item['type'] === items[0]?.['type'])
  return ambiguous(`${items.length} ${collection.noun}s are called ${name}`, items, isTyped ? '' : type)
}

/** Refuses what could mean several, with the list. */
const ambiguous = async (...choices: [title: string, items: readonly Item[], advice?: string]): Promise<CliError> =>
  new CliError(exit.usage, (await import('./choices.ts')).ambiguous(...choices))
