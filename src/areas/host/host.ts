import type { HostClient } from '../../host/contract/client.ts'
import { REPLY_TIMEOUT_MS, within } from '../../host/nodes/fleet/deadline.ts'
import type { LinkedHost, Links } from '../../host/nodes/fleet/fleet.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { localNode } from '../../shared/node-name.ts'

interface Hosts {
  /** All hosts as one client. */
  readonly host: HostClient
  readonly fleet: Links
}

const hosts = new WeakMap<Runtime, Hosts>()

/** Makes a panel's hosts available to the operations. */
export const rememberHost = (runtime: Runtime, { host, fleet }: Hosts): void => void hosts.set(runtime, { host, fleet })

/** The host of a node. By default, requests about an account go to its node, others to the control plane's. */
export const hostOf = (runtime: Runtime, node?: string): HostClient => {
  const { host, fleet } = hosts.get(runtime)!
  return node === undefined ? host : fleet.driverOf(node)
}

/** The host of one node, or all reachable hosts. */
export const hostsOf = (runtime: Runtime, node?: string): readonly LinkedHost[] => {
  const { fleet } = hosts.get(runtime)!
  return node === undefined ? fleet.linked : [[node, fleet.driverOf(node)]]
}

/** Work on one node, for a request that others take part in: any other node than the control plane's has a deadline. */
export function onNode<T>(
  { clock }: Runtime,
  { node, signal }: { readonly node: string; readonly signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (node === localNode) return work(signal)
  return within({ node, ms: REPLY_TIMEOUT_MS, after: (ms, act) => clock.after(ms, act), signal }, work)
}
