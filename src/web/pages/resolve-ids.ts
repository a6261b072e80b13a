import { isId } from '../../contract/common.ts'
import { type OperationId, operationList } from '../../contract/index.ts'
import { type LookupKind, lookupKinds } from '../../contract/lookup.ts'
import { isOfAccount, pathChoices } from '../../contract/operation.ts'
import { notFound } from '../../contract/problem.ts'
import { namesIn } from '../kit/format/href.ts'
import { lookupOwn } from '../kit/lookup.ts'
import type { Answered, Screen } from '../kit/screen.ts'
import { type Input, type PanelRequest, read } from '../panel-request.ts'

const isKind = (word: string): word is LookupKind => Object.hasOwn(lookupKinds, word)

/** The id of an address segment's object: a ULID is used as it is, a name is looked up where names are unique. */
export async function idOf(request: PanelRequest, called: string, name: string, account?: string): Promise<string> {
  if (isId(name)) return name
  if (!isKind(called)) throw notFound(called.replaceAll('_', ' '))
  const query = { name, kind: called }
  const { items } = account
    ? await read(request, 'lookupForAccount', { params: { id: account }, query })
    : await read(request, 'lookup', { query })
  if (items.length === 0) throw notFound(called.replaceAll('_', ' '))
  return items[0].id
}

/** Objects whose names are unique only within their list: a release's number, a certificate's domain. */
const listed: Readonly<Record<string, { readonly run: OperationId; readonly by: string }>> = {
  release: { run: 'listReleases', by: 'number' },
  certificate: { run: 'listCertificates', by: 'domain' },
}

/** Names of path parameters that are words of a closed list. */
const words: ReadonlySet<string> = new Set(
  operationList.flatMap((op) => namesIn(op.path).filter((name) => pathChoices(op, name))),
)

const newest = { per_page: '100', order: 'desc' } as const

async function idIn(request: PanelRequest, called: string, name: string, params: Input['params']): Promise<string> {
  const { run, by } = listed[called]!
  const { items } = await read(request, run, { ...(params && { params }), query: newest })
  const found = items.find((one: Answered) => String(one[by]) === name)
  if (!found) throw notFound(called)
  return found.id
}

/** The ids of the objects in an address, in order. */
export async function idsOf(
  request: PanelRequest,
  names: Readonly<Record<string, string>>,
  account?: string,
): Promise<Record<string, string>> {
  const ids: Record<string, string> = {}
  for (const [called, name] of Object.entries(names)) {
    if (called === 'path' || words.has(called)) ids[called] = name
    else if (account !== undefined && lookupOwn(listed, called) && !isId(name))
      ids[called] = await idIn(request, called, name, paramsOf(listed[called]!.run, Object.values(ids), account))
    else ids[called] = await idOf(request, called, name, account)
  }
  return ids
}

/** The path parameters of an operation: the account first if it has one, then the names in the address, in order. */
export function paramsOf(
  id: OperationId,
  ids: readonly string[],
  account: string | undefined,
): Readonly<Record<string, string>> {
  const { names, hasAccount } = paths.get(id)!
  const allIds = hasAccount && account !== undefined ? [account, ...ids] : ids
  return Object.fromEntries(names.map((name, index) => [name, allIds[index] ?? '']))
}

const paths = new Map(operationList.map((op) => [op.id, { names: namesIn(op.path), hasAccount: isOfAccount(op) }]))

/** The objects of a page's operation: those in the address, then the form's item; or the item alone. */
export function namedFor(
  { acts }: Screen,
  op: OperationId,
  named: readonly string[],
  item: string | undefined,
): readonly string[] {
  const items = item === undefined ? [] : [item]
  return acts?.[op]?.subject === 'item' ? items : [...named, ...items]
}
