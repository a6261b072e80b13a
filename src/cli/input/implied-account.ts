import { noSuch } from '../errors.ts'
import type { Invocation } from '../invocation.ts'
import type { Client } from '../request/client.ts'
import { itemsIn } from '../request/items.ts'
import { ownAccount } from '../request/own-account.ts'
import { domainIn, isId } from '../request/resolve.ts'
import { type Field, type Operation, table } from '../table.ts'
import type { Values } from './values.ts'

/** Adds the account if none was typed: PANEL_ACCOUNT, the caller's own, or the object's. */
export async function implyAccount(
  { command }: Invocation,
  { fields }: Operation,
  client: Client,
  values: Values,
): Promise<void> {
  const account = fields.find(({ place, ref }) => place === 'path' && ref === '/accounts')
  if (!account || values.has(account)) return
  const own = ownAccount(client).then((found) => found?.id)
  // A command that also exists for the server implies an account only if nothing else is possible.
  if (command.operation) return keep(values, account, await own.catch(() => undefined))
  const implied = process.env['PANEL_ACCOUNT'] || (await own)
  if (implied) return keep(values, account, implied)
  await findHolder(fields, client, values, account)
}

function keep(values: Values, field: Field, id: string | undefined): void {
  if (id !== undefined) values.set(field, id)
}

/** The `lookup` kind that tells the account of a list's member: for names at a domain, the domain's. */
function kindOf({ ref = '' }: Field): string | undefined {
  const collection = table.collections[ref]
  return collection?.kind ?? (collection?.name === 'domain' ? 'domain' : undefined)
}

/** The account of a uniquely named object: from the path, else from the first typed name. */
async function findHolder(fields: readonly Field[], client: Client, values: Values, account: Field): Promise<void> {
  const named = fields.filter((field) => kindOf(field) && values.has(field))
  const object = named.find(({ place }) => place === 'path') ?? named[0]
  if (!object) return findDomain(fields, client, values, account)
  const name = values.get(object)
  if (typeof name !== 'string' || isId(name)) return
  const { kind, noun, byPath } = table.collections[object.ref ?? ''] ?? { noun: '' }
  const query = { name: byPath ? domainIn(name) : name, kind: kindOf(object) }
  const { body } = await client.call({ method: 'GET', path: '/lookup', query })
  const [found] = itemsIn(body, client.target)
  if (!found) throw noSuch(noun, name)
  values.set(account, String(found['account_id']))
  if (kind) values.set(object, found.id)
}

/** Fields with a name at a domain. */
const atDomain = new Set(['address', 'login'])

/** The account for a new object at a domain: the domain's. */
async function findDomain(fields: readonly Field[], client: Client, values: Values, account: Field): Promise<void> {
  const field = fields.find(({ place, name }) => place === 'body' && atDomain.has(name))
  const typed = field && values.get(field)
  const [, name] = /@([^@]+)$/.exec(typeof typed === 'string' ? typed : '') ?? []
  if (name === undefined) return
  const { body } = await client.call({ method: 'GET', path: '/lookup', query: { name, kind: 'domain' } })
  const [found] = itemsIn(body, client.target)
  if (!found) throw noSuch('domain', name)
  values.set(account, String(found['account_id']))
}
