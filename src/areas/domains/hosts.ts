import { Problem } from '../../contract/problem.ts'
import type { HostFeature } from '../../host/contract/driver.ts'
import type { Fleet } from '../../host/nodes/fleet/fleet.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Runtime } from '../../runtime/runtime.ts'

const fleets = new WeakMap<Runtime['store'], Fleet>()

/** Makes a panel's hosts available to the operations on domains. */
export const rememberHosts = (runtime: Runtime, fleet: Fleet): void => void fleets.set(runtime.store, fleet)

export const hostsOf = ({ store }: Pick<Runtime, 'store'>): Fleet => fleets.get(store)!

/** Whether the daemons of an account's host have something, as far as is known. */
export const mayHave = (ctx: Context, account: string, feature: HostFeature): boolean =>
  nodeMayHave(ctx, ctx.runtime.ports.nodeOf(ctx.db, account), feature)

export const nodeMayHave = ({ runtime }: Pick<Context, 'runtime'>, node: string, feature: HostFeature): boolean =>
  hostsOf(runtime).driverOf(node).offers(feature) !== false

/** `apache` on hosts whose agent has said that it is set up, so that a site's .htaccess files hold. */
export function defaultHandlerOf(runtime: Runtime, node: string): 'apache' | 'php' {
  const host = hostsOf(runtime).driverOf(node)
  return host.kind === 'debian' && host.offers('apache') === true ? 'apache' : 'php'
}

/** 409 `not-configured` where the host was set up without Apache. */
export function refuseWithoutApache(ctx: Context, account: string): void {
  if (mayHave(ctx, account, 'apache')) return
  throw new Problem('not-configured', 'This server was set up without Apache: panel host setup --without none.', {
    handler: 'apache is not available',
  })
}
