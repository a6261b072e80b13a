import { exit } from '../../shared/exit.ts'
import { ulid } from '../../shared/patterns.ts'
import { MIN_ID_PART } from '../../shared/short-id.ts'
import { CliError, noSuch } from '../errors.ts'
import { type Collection, table } from '../table.ts'
import type { Client } from './client.ts'
import type { ItemPage } from './id-part.ts'
import { type Item, itemsIn, itemsOf } from './items.ts'
import { ownAccountOf } from './own-account.ts'

const ulidPattern = new RegExp(`^${ulid}$`)

export const isId = (text: string): boolean => ulidPattern.test(text.toUpperCase()) && text.length === 26

const prefixPattern = new RegExp(`^[0-7][0-9A-HJKMNP-TV-Z]{${MIN_ID_PART - 1},24}$`)
/** As tables show ids of one millisecond, `…P1SBM9`, with or without what stands for the rest. */
const endPattern = new RegExp(`^(…|\\.{2,3}|)([0-9A-HJKMNP-TV-Z]{${MIN_ID_PART},24})$`)

const isIdPrefix = (text: string): boolean => prefixPattern.test(text.toUpperCase())

const endIn = (text: string): string | undefined => endPattern.exec(text.toUpperCase())?.[2]
const isShortened = (text: string): boolean => (endPattern.exec(text.toUpperCase())?.[1] ?? '') !== ''

/** Whether it may be an id, or a part of one. */
export const isIdLike = (text: string): boolean => isId(text) || isIdPrefix(text) || isShortened(text)

/** A typed id or a unique part of one, for lists whose members have no names. */
export async function resolveListed(client: Client, noun: string, path: string, text: string): Promise<string> {
  if (isId(text)) return text.toUpperCase()
  const words = noun.replaceAll('-', ' ')
  const found = await idWithPart(client, words, path, text)
  if (found !== undefined) return found
  // Lists with pages are too long to be of help.
  const items = isPaged(path) ? [] : (await pageOf(client, path, 1)).items
  const described = (await import('./choices.ts')).described(words, path, text, items)
  if (typeof described === 'string') return described
  throw new CliError(exit.notFound, described)
}

/** The id that begins, or ends, with what was typed. */
async function idWithPart(client: Client, noun: string, path: string, typed: string): Promise<string | undefined> {
  const end = endIn(typed)
  if (end === undefined) return undefined
  const { membersWith } = await import('./id-part.ts')
  const beginning = isIdPrefix(typed) ? typed.toUpperCase() : undefined
  const found = await membersWith((page) => pageOf(client, path, page), beginning, end)
  if (found.length > 1) throw await ambiguous(`${found.length} ${noun}s have ids with ${typed}`, found)
  return found[0]?.id
}

const MAX_PAGE_SIZE = 500

async function pageOf(client: Client, path: string, page: number): Promise<ItemPage> {
  const query = isPaged(path) ? { page, per_page: MAX_PAGE_SIZE } : {}
  const { body } = await client.call({ method: 'GET', path, query })
  const items = itemsIn(body, client.target)
  const { total = items.length } = body as { total?: number }
  return { items, pages: Math.ceil(total / MAX_PAGE_SIZE) }
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

/** Resolves a name in a collection such as `/packages`, or a part of an id, to an id; ids pass through. */
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
  const id = await idWithPart(client, collection.noun, path, name)
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
