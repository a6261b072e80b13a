import { longestAddress } from '../../../contract/email/common.ts'
import type { Context } from '../../../runtime/context.ts'
import { toAscii } from '../../accounts/names.ts'
import { domainsNamed } from '../../domains/store.ts'
import { routesOf } from '../account-routes.ts'
import { bare, cycleThrough, mostFinals, tooWide, type Way } from '../routes.ts'

const localPart = /^[A-Za-z0-9_][A-Za-z0-9_'+.-]{0,63}$/

/** A valid destination as it is stored; undefined for anything else, such as a pipe or a file. */
export function destinationOf(ctx: Context, account: string, text: string): string | undefined {
  const at = text.lastIndexOf('@')
  const [local, name] = [text.slice(0, at), toAscii(text.slice(at + 1))]
  if (at < 0 || !localPart.test(local) || name === undefined || name === ctx.runtime.hostname.toLowerCase())
    return undefined
  const isOwn = domainsNamed(ctx.db, account, [name]).length > 0
  const address = `${isOwn ? local.toLowerCase() : local}@${name}`
  return address.length <= longestAddress ? address : undefined
}

/** The destinations in order, without duplicates; or why they are invalid. */
export function destinationsOf(ctx: Context, account: string, given: readonly string[]): string[] | string {
  const read = given.map((text) => ({ text, address: destinationOf(ctx, account, text) }))
  const odd = read.findIndex(({ address }) => address === undefined)
  if (odd >= 0) return `item ${odd + 1}: must be an email address such as bob@shop.example`
  return [...new Set(read.map(({ address }) => address!))]
}

/** Why an address cannot be forwarded this way. */
export function wayFault(ctx: Context, account: string, address: string, way: Way): string | undefined {
  if (way.destinations.some((one) => bare(one) === address)) return `must not lead to ${address} itself`
  const routes = routesOf(ctx.db, account, { forwarders: new Map([[address, way]]) })
  const cycle = cycleThrough(routes, address)
  if (cycle) return `must not lead back to ${address}: ${cycle.join(' → ')}`
  const wide = tooWide(routes)
  return wide === undefined ? undefined : `must not lead to more than ${mostFinals} addresses; ${wide} would`
}
