import type { HostOptions, HostStatus } from '../../contract/client.ts'
import { type Link, LinkLost } from './link.ts'

/** How a client gets its link. */
export interface Links {
  readonly status: HostStatus
  open(): void
  link(options: HostOptions): Promise<Link>
  rest(): Promise<void>
  close(): Promise<void>
}

/** A link that the agent opened: it cannot be reopened. */
export class SingleLink implements Links {
  readonly #link: Link
  readonly #node: string

  constructor(link: Link, node: string) {
    this.#link = link
    this.#node = node
  }

  get status(): HostStatus {
    return this.#link.over ? { status: 'unreachable', reason: unreachableReason(this.#node) } : { status: 'running' }
  }

  open(): void {}

  async link({ signal }: HostOptions): Promise<Link> {
    signal?.throwIfAborted()
    if (this.#link.over) throw new LinkLost(unreachableReason(this.#node))
    return this.#link
  }

  async rest(): Promise<void> {}

  async close(): Promise<void> {
    this.#link.kill()
  }
}

export const unreachableReason = (node: string): string => `Node ${node} is not connected.`
