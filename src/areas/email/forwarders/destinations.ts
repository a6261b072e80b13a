import { MAX_ADDRESS_LENGTH } from '../../../contract/email/common.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { toAscii } from '../../accounts/operations/names.ts'
import { domainsNamed } from '../../domains/store.ts'
import { routesOf } from '../account-routes.ts'
import { bare, cycleThrough, type ForwardRoute, MAX_DESTINATIONS, tooWide } from '../routes.ts'

const localPart = /^[A-Za-z0-9_][A-Za-z0-9_'+.-]{0,63}$/

/** A valid destination as it is stored; undefined for anything else, such as a pipe or a file. */
export function destinationOf(ctx: Context, account: string, text: string): string | undefined {
  const at = text.lastIndexOf('@')
  const [local, name] = [text.slice(0, at), toAscii(text.slice(at + 1))]
  if (at < 0 || !localPart.test(local) || name === undefined || name === ctx.runtime.hostname.toLowerCase())
    return undefined
  const isOwn = domainsNamed(ctx.db, account, [name]).length > 0
  const address = `${isOwn ? local.toLowerCase() : local}@${name}`
  return address.length <= MAX_ADDRESS_LENGTH ? address : undefined
}

/** The destinations in order, without duplicates; or why they are invalid. */
export function destinationsOf(ctx: Context, account: string, input: readonly string[]): string[] | string {
  const read = input.map((text) => ({ text, address: destinationOf(ctx, account, text) }))
  const odd = read.findIndex(({ address }) => address === undefined)
  if (odd >= 0) return `item ${odd + 1}: must be an email address such as bob@shop.example`
  return [...new Set(read.map(({ address }) => address!))]
}

/** Why an address cannot be forwarded this way. */
export function routeProblem(ctx: Context, account: string, address: string, route: ForwardRoute): string | undefined {
  if (route.destinations.some((one) => bare(one) === address)) return `must not lead to ${address} itself`
  const routes = routesOf(ctx.db, account, { forwarders: new Map([[address, route]]) })
  const cycle = cycleThrough(routes, address)
  if (cycle) return `must not lead back to ${address}: ${cycle.join(' → ')}`
  const wide = tooWide(routes)
  return wide === undefined ? undefined : `must not lead to more than ${MAX_DESTINATIONS} addresses; ${wide} would`
}
