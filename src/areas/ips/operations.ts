import { eq } from 'drizzle-orm'
import ipaddr from 'ipaddr.js'
import type * as declared from '../../contract/ips.ts'
import { invalid, Problem } from '../../contract/problem.ts'
import { canonicalAddress } from '../../runtime/operations/address.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { listIps as list, toIp } from './store.ts'
import { ips } from './tables.ts'

const listIps: Handler<typeof declared.listIps> = { handle: (ctx, { query }) => list(ctx, query) }

const createIp: Handler<typeof declared.createIp> = {
  handle(ctx, { body }) {
    const { address, version } = canonical(body.address)
    refuseNoMachine(address)
    if (ctx.db.select({ id: ips.id }).from(ips).where(eq(ips.address, address)).get()) {
      throw new Problem('exists', `${address} is already listed.`, { address: 'is listed already' })
    }
    const row = {
      id: ctx.id(),
      address,
      version,
      kind: body.kind ?? 'shared',
      main: false,
      created_at: ctx.now,
    } as const
    ctx.db.insert(ips).values(row).run()
    ctx.note({ object_id: row.id, after: { address, kind: row.kind } })
    return toIp({ ...row, account_count: 0 })
  },
}

const ofNoMachine: readonly string[] = ['unspecified', 'multicast', 'broadcast']

function refuseNoMachine(address: string): void {
  if (ofNoMachine.includes(ipaddr.parse(address).range()))
    throw invalid('address', 'must be the address of a machine, not an unspecified, multicast or broadcast one')
}

/** One spelling for each address. Loose IPv4 forms (octal, hexadecimal, one number) are refused. */
function canonical(text: string): { address: string; version: 4 | 6 } {
  const plain = text.includes('%') ? text : canonicalAddress(text)
  if (ipaddr.IPv4.isValidFourPartDecimal(plain)) return { address: plain, version: 4 }
  if (ipaddr.IPv6.isValid(text) && !text.includes('%'))
    return { address: ipaddr.IPv6.parse(text).toRFC5952String(), version: 6 }
  throw invalid('address', 'must be an IPv4 or IPv6 address')
}

const getIp: Handler<typeof declared.getIp> = { handle: ({ found }) => toIp(found.ip) }

const deleteIp: Handler<typeof declared.deleteIp> = {
  handle(ctx) {
    const { ip } = ctx.found
    if (ip.main) throw new Problem('in-use', 'The main IP address cannot be removed: new accounts use it.')
    if (ip.account_count > 0)
      throw new Problem(
        'in-use',
        `${ip.address} still has accounts (${ip.account_count}); give them another address first.`,
      )
    ctx.db.delete(ips).where(eq(ips.id, ip.id)).run()
    ctx.note({ object_id: ip.id, before: { address: ip.address } })
    return undefined
  },
}

export const ipOperations = { listIps, createIp, getIp, deleteIp }
