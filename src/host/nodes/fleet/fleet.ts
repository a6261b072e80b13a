import { localNode } from '../../../shared/node-name.ts'
import type { HostClient } from '../../contract/client.ts'

import { HostError } from '../../contract/driver.ts'

/** The host of a node that is disconnected, or gone for good: it refuses every request, with a reason. */
function unreachableHost(reason: string, code: 'unreachable' | 'lost' = 'unreachable'): HostClient {
  const refuse = () => Promise.reject(new HostError('stage', reason, code))
  const files = { act: refuse, read: refuse, readLog: refuse, write: refuse, append: refuse }
  const known = { status: { status: 'unreachable', reason }, kind: 'debian', files: () => files, stay: () => {} }
  return new Proxy(known, {
    get: (target, name) => target[name as keyof typeof known] ?? refuse,
  }) as unknown as HostClient
}

export type LinkedHost = readonly [node: string, host: HostClient]

export interface Fleet {
  /** A node's host; one that is not linked refuses every request, and says why. */
  driverOf(node: string): HostClient
  /** Reachable hosts with their nodes, the control plane's own first. */
  readonly linked: readonly LinkedHost[]
}

/** The hosts that are linked now. */
export class Links implements Fleet {
  readonly #linked = new Map<string, HostClient>()

  constructor(local: HostClient) {
    this.#linked.set(localNode, local)
  }

  driverOf(node: string): HostClient {
    return this.#linked.get(node) ?? unreachableHost(`Node ${node} is not connected.`)
  }

  get linked(): readonly LinkedHost[] {
    return [...this.#linked].filter(([node, { status }]) => node === localNode || status.status !== 'unreachable')
  }

  attach(node: string, host: HostClient): void {
    this.#linked.set(node, host)
  }

  /** All further requests to it fail permanently. */
  giveUp(node: string, why: string): void {
    this.#linked.set(node, unreachableHost(why, 'lost'))
  }

  detach(node: string, why: string): void {
    if (node !== localNode) this.#linked.set(node, unreachableHost(why))
  }
}
