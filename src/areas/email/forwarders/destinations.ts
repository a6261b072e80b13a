import { MAX_ADDRESS_LENGTH } from '../../../contract/email/common.ts'
import { DISCARD } from '../../../contract/email/forwarders.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { localParts } from '../../../shared/patterns.ts'
import { toAscii } from '../../accounts/operations/names.ts'
import { domainsNamed } from '../../domains/store.ts'
import { mailDomainsOf, routesOf } from '../account-routes.ts'
import { bare, cycleThrough, domainOf, type ForwardRoute, leadsOn, MAX_DESTINATIONS, tooWide } from '../routes.ts'

const localPart = new RegExp(`^${localParts.elsewhere}$`)
/** How other panels write it. */
const discarding: readonly string[] = [DISCARD, ':blackhole:', '/dev/null']

/** A valid destination as it is stored; undefined for anything else, such as a pipe or a file. */
export function destinationOf(ctx: Context, account: string, input: string): string | undefined {
  const text = withoutName(input)
  if (discarding.includes(text.toLowerCase())) return DISCARD
  const at = text.lastIndexOf('@')
  const [local, name] = [text.slice(0, at), toAscii(text.slice(at + 1))]
  if (at < 0 || !localPart.test(local) || name === undefined || name === ctx.runtime.hostname.toLowerCase())
    return undefined
  const isOwn = domainsNamed(ctx.db, account, [name]).length > 0
  const address = `${isOwn ? local.toLowerCase() : local}@${name}`
  return address.length <= MAX_ADDRESS_LENGTH ? address : undefined
}

/** The address of `Bob <bob@shop.example>`, as mail programs copy it. */
const withoutName = (text: string): string => (/^[^<>]*<([^<>]*)>\s*$/.exec(text)?.[1] ?? text).trim()

/** The destinations in order, without duplicates; or why they are invalid. */
export function destinationsOf(ctx: Context, account: string, input: readonly string[]): string[] | string {
  const read = input.map((text) => destinationOf(ctx, account, text))
  const invalid = read.indexOf(undefined)
  if (invalid >= 0) return `item ${invalid + 1}: must be an email address such as bob@shop.example`
  const all = [...new Set(read as string[])]
  const isMixed = all.includes(DISCARD) && all.length > 1
  return isMixed ? `${DISCARD} throws the mail away and cannot be combined with addresses` : all
}

/** New destinations in the account's own domains that do not exist and that no catch-all takes: their mail would bounce. */
function missingProblem({ db }: Context, account: string, address: string, all: readonly string[]): string | undefined {
  const routes = routesOf(db, account)
  const names = new Set(mailDomainsOf(db, account))
  const leadsNowhere = (one: string): boolean =>
    one !== DISCARD && one !== address && names.has(domainOf(one)) && !leadsOn(routes, bare(one))
  const missing = all.filter(leadsNowhere)
  if (missing.length === 0) return undefined
  return `${missing.join(', ')}: no mailbox or forwarder has ${missing.length > 1 ? 'these addresses' : 'this address'}; create it first`
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

/** Why a request's destinations are refused; those that were there `before` may have lost their mailbox since. */
export function destinationsProblem(
  ctx: Context,
  account: string,
  address: string,
  route: ForwardRoute,
  before: readonly string[] = [],
): string | undefined {
  const added = route.destinations.filter((one) => !before.includes(one))
  return routeProblem(ctx, account, address, route) ?? missingProblem(ctx, account, address, added)
}
