import { localNode } from '../../../shared/node-name.ts'
import type { FilesFromAfar, HostClient, HostStatus } from '../../contract/client.ts'
import { CommandClient } from '../../contract/command-client.ts'
import { HostError } from '../../contract/driver.ts'

/** The host of a node that is disconnected, or gone for good: it refuses every request, with a reason. */
class UnreachableHost extends CommandClient implements HostClient {
  readonly kind = 'debian'
  readonly #reason: string
  readonly #code: 'unreachable' | 'lost'

  constructor(reason: string, code: 'unreachable' | 'lost' = 'unreachable') {
    super()
    this.#reason = reason
    this.#code = code
  }

  get status(): HostStatus {
    return { status: 'unreachable', reason: this.#reason }
  }

  files(): FilesFromAfar {
    const refuse = () => this.send()
    return { act: refuse, read: refuse, readLog: refuse, write: refuse, append: refuse }
  }

  stay(): void {}

  offers(): undefined {}

  override send(): Promise<never> {
    return Promise.reject(new HostError('stage', this.#reason, this.#code))
  }
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
    return this.#linked.get(node) ?? new UnreachableHost(`Node ${node} is not connected.`)
  }

  get linked(): readonly LinkedHost[] {
    return [...this.#linked].filter(([node, { status }]) => node === localNode || status.status !== 'unreachable')
  }

  attach(node: string, host: HostClient): void {
    this.#linked.set(node, host)
  }

  /** All further requests to it fail permanently. */
  giveUp(node: string, why: string): void {
    this.#linked.set(node, new UnreachableHost(why, 'lost'))
  }

  detach(node: string, why: string): void {
    if (node !== localNode) this.#linked.set(node, new UnreachableHost(why))
  }
}
