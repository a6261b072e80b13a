import type { HostClient } from '../../host/client.ts'
import type { LinkedHost, Links } from '../../host/fleet/fleet.ts'
import type { Runtime } from '../../runtime/runtime.ts'

interface Hosts {
  /** All of them as one. */
  readonly host: HostClient
  readonly fleet: Links
}

const hosts = new WeakMap<Runtime, Hosts>()

/** Lets the operations know the hosts of a panel. */
export const rememberHost = (runtime: Runtime, { host, fleet }: Hosts): void => void hosts.set(runtime, { host, fleet })

/** The host of a node; without one what asks for an account reaches the account's, and all else the control plane's own. */
export const hostOf = (runtime: Runtime, node?: string): HostClient => {
  const { host, fleet } = hosts.get(runtime)!
  return node === undefined ? host : fleet.driverOf(node)
}

/** The host of one node, or those of all that can be asked now. */
export const hostsOf = (runtime: Runtime, node?: string): readonly LinkedHost[] => {
  const { fleet } = hosts.get(runtime)!
  return node === undefined ? fleet.linked : [[node, fleet.driverOf(node)]]
}
