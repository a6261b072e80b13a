import { Problem } from '../../contract/problem.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { type Instead, routesOf } from './account-routes.ts'
import { cycleThrough } from './routes.ts'

/** 409 `in-use` for an address that a catch-all needs, if only to avoid a loop. */
export function refuseNeeded(ctx: Context, account: string, address: string, instead: Instead): void {
  const routes = routesOf(ctx.db, account, instead)
  const isThere = routes.forwarders.has(address) || routes.mailboxes.has(address)
  const [domain] = [...routes.catchAlls].find(([, destination]) => destination === address) ?? []
  if (domain !== undefined)
    throw new Problem('in-use', `${address} is the catch-all of ${domain}; change the catch-all first.`)
  const cycle = isThere ? undefined : cycleThrough(routes, address)
  if (cycle) throw new Problem('in-use', `Without ${address} mail would loop: ${cycle.join(' → ')}. Change that first.`)
}
