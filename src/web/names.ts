import { type OperationId, operationList } from '../contract/index.ts'
import { type LookupKind, lookupKinds } from '../contract/lookup.ts'
import { isOfAccount } from '../contract/operation.ts'
import { notFound } from '../contract/problem.ts'
import { ulid } from '../shared/patterns.ts'
import { namesIn } from './kit/href.ts'
import { own } from './kit/own.ts'
import type { Answered, Screen } from './kit/screen.ts'
import { type Input, read, type Served } from './served.ts'

const wholeUlid = new RegExp(`^${ulid}$`)
export const isId = (text: string): boolean => wholeUlid.test(text)

const isKind = (word: string): word is LookupKind => Object.hasOwn(lookupKinds, word)

/** The id of an address segment's object: a ULID is used as it is, a name is looked up where names are unique. */
export async function idOf(served: Served, called: string, name: string, account?: string): Promise<string> {
  if (isId(name)) return name
  if (!isKind(called)) throw notFound(called.replaceAll('_', ' '))
  const query = { name, kind: called }
  const { items } = account
    ? await read(served, 'lookupForAccount', { params: { id: account }, query })
    : await read(served, 'lookup', { query })
  if (items.length === 0) throw notFound(called.replaceAll('_', ' '))
  return items[0].id
}

/** Objects whose names are unique only within their list: a release's number, a certificate's domain. */
const listed: Readonly<Record<string, { readonly run: OperationId; readonly by: string }>> = {
  release: { run: 'listReleases', by: 'number' },
  certificate: { run: 'listCertificates', by: 'domain' },
}

const newest = { per_page: '100', order: 'desc' } as const

async function idIn(served: Served, called: string, name: string, params: Input['params']): Promise<string> {
  const { run, by } = listed[called]!
  const { items } = await read(served, run, { ...(params && { params }), query: newest })
  const found = items.find((one: Answered) => String(one[by]) === name)
  if (!found) throw notFound(called)
  return found.id
}

/** The ids of the objects in an address, in order. */
export async function idsOf(
  served: Served,
  names: Readonly<Record<string, string>>,
  account?: string,
): Promise<Record<string, string>> {
  const ids: Record<string, string> = {}
  for (const [called, name] of Object.entries(names)) {
    if (called === 'path') ids[called] = name
    else if (account !== undefined && own(listed, called) && !isId(name))
      ids[called] = await idIn(served, called, name, paramsOf(listed[called]!.run, Object.values(ids), account))
    else ids[called] = await idOf(served, called, name, account)
  }
  return ids
}

/** The path parameters of an operation: the account first if it has one, then the names in the address, in order. */
export function paramsOf(
  id: OperationId,
  ids: readonly string[],
  account: string | undefined,
): Readonly<Record<string, string>> {
  const { wanted, hasAccount } = paths.get(id)!
  const given = hasAccount && account !== undefined ? [account, ...ids] : ids
  return Object.fromEntries(wanted.map((name, place) => [name, given[place] ?? '']))
}

const paths = new Map(operationList.map((op) => [op.id, { wanted: namesIn(op.path), hasAccount: isOfAccount(op) }]))

/** The objects of a page's operation: those in the address, then the form's item; or the item alone. */
export function namedFor(
  { acts }: Screen,
  op: OperationId,
  named: readonly string[],
  item: string | undefined,
): readonly string[] {
  const items = item === undefined ? [] : [item]
  return acts?.[op]?.about === 'item' ? items : [...named, ...items]
}
