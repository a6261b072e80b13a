import { and, eq, inArray, notExists, notInArray, or, sql } from 'drizzle-orm'
import { invalid, Problem } from '../../../contract/problem.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { localNode } from '../../../shared/node-name.ts'
import { prepared } from '../../../store/prepared.ts'
import { ipById, ipOfAddress } from '../../ips/store.ts'
import { type IpRow, ips } from '../../ips/tables.ts'
import { addressesElsewhere, addressesOf } from '../../nodes/addresses.ts'
import { type AccountRow, accounts } from '../tables.ts'

const queries = prepared((db) => ({ main: db.select().from(ips).where(eq(ips.main, true)).prepare() }))

/** What determines an account's address. */
export interface IpRequest {
  readonly node: string
  readonly id?: string | undefined
  readonly dedicated?: boolean
}

/** Chooses an account's address: the one named, a free dedicated one if its package says so, else its node's first. */
export function chooseIp(ctx: Context, { node, id, dedicated }: IpRequest): IpRow {
  if (id !== undefined) return named(ctx, id, node)
  return dedicated ? freeDedicated(ctx, node) : firstOf(ctx, node)
}

/** The IPv6 address beside an IPv4 one; null if none is named. */
export function chooseIp6(ctx: Context, { node, id }: Omit<IpRequest, 'dedicated'>, ip: IpRow): string | null {
  if (id === undefined) return null
  const { version } = named(ctx, id, node, 'ip6_id')
  if (version !== 6) throw invalid('ip6_id', 'must be an IPv6 address')
  refuseBeside6(ip)
  return id
}

function refuseBeside6({ version }: Pick<IpRow, 'version'>): void {
  if (version === 6) throw invalid('ip6_id', 'is only possible beside an ip_id of IPv4')
}

type Addresses = Pick<AccountRow, 'ip_id' | 'ip6_id'>
type AddressChange = { readonly [Name in keyof Addresses]?: Addresses[Name] | undefined }

/** What a change of an account's addresses changes in its row. */
export function addressesFor(
  ctx: Context,
  { node, ...before }: Addresses & Pick<AccountRow, 'node'>,
  { ip_id = before.ip_id, ip6_id = before.ip6_id }: AddressChange,
): Partial<Addresses> {
  const ip = ip_id === before.ip_id ? ipById(ctx, ip_id)! : chooseIp(ctx, { node, id: ip_id })
  if (ip6_id !== null && ip6_id === before.ip6_id) refuseBeside6(ip)
  else if (ip6_id !== null) chooseIp6(ctx, { node, id: ip6_id }, ip)
  return { ...(ip_id !== before.ip_id && { ip_id }), ...(ip6_id !== before.ip6_id && { ip6_id }) }
}

function named(ctx: Context, id: string, node: string, field: 'ip_id' | 'ip6_id' = 'ip_id'): IpRow {
  const found = ipById(ctx, id)
  if (!found) throw invalid(field, 'is not an IP address of this server')
  if (!isOf(ctx, node, found)) throw invalid(field, `is not an IP address of the node ${node}`)
  if (found.kind === 'dedicated' && found.account_count > 0)
    throw invalid(field, 'is a dedicated address of another account')
  return found
}

/** A node that reported no address is assumed to use the main one. */
function firstOf(ctx: Context, node: string): IpRow {
  const main = queries(ctx.db).main.get()!
  if (node === localNode) return main
  const known = addressesOf(ctx.db, node)
  const first = known.find(({ version }) => version === main.version) ?? known[0]
  return first ? ipOfAddress(ctx, first) : main
}

function isOf(ctx: Context, node: string, { address, main }: IpRow): boolean {
  const own = node === localNode ? [] : addressesOf(ctx.db, node)
  if (own.length > 0) return own.some((one) => one.address === address)
  return main || !addressesElsewhere(ctx.db, node).includes(address)
}

function freeDedicated(ctx: Context, node: string): IpRow {
  const used = ctx.db
    .select({ one: sql`1` })
    .from(accounts)
    .where(or(eq(accounts.ip_id, ips.id), eq(accounts.ip6_id, ips.id)))
  const own = node === localNode ? [] : addressesOf(ctx.db, node).map(({ address }) => address)
  const ofNode = own.length > 0 ? inArray(ips.address, own) : notInArray(ips.address, addressesElsewhere(ctx.db, node))
  const free = ctx.db
    .select()
    .from(ips)
    .where(and(eq(ips.kind, 'dedicated'), ofNode, notExists(used)))
    .orderBy(ips.id)
    .get()
  if (!free)
    throw new Problem(
      'not-configured',
      'The package needs a dedicated IP address, but none is free. Add one with `panel ips create`.',
    )
  return free
}
