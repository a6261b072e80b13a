import type { EventEmitter } from 'node:events'
import { localNode } from '../../shared/node-name.ts'
import type { Signals } from '../runtime.ts'

/** Concurrent jobs on a node other than the control plane's own. */
export const jobsOfNode = 4
/** More of them, for urgent jobs only. */
export const URGENT_JOBS_OF_NODE = 1

/** Tracks which nodes take jobs now, and why others do not. Jobs of closed nodes wait. */
export class NodeGate {
  #live: readonly string[] = [localNode]
  readonly #closed = new Map<string, string>()
  readonly #abandoned = new Set<string>()
  readonly #troubles = new Map<string, { readonly what: string; readonly until: number }>()
  readonly #signals: EventEmitter<Signals>

  constructor(signals: EventEmitter<Signals>) {
    this.#signals = signals
  }

  get live(): readonly string[] {
    return this.#live
  }

  /** Nodes whose jobs may start. Those of an abandoned node start too, and fail at once, so that they block nothing. */
  get begun(): readonly string[] {
    return [...this.#live, ...this.#abandoned]
  }

  open(node: string): void {
    this.forget(node)
    if (!this.#live.includes(node)) this.#live = [...this.#live, node]
    this.#signals.emit('job')
    this.#signals.emit('nodeOpen', node)
  }

  /** Makes its jobs wait; `why` is one sentence for users. */
  close(node: string, why: string): void {
    this.forget(node)
    this.#closed.set(node, why)
  }

  /** Makes its jobs fail for good; `why` is one sentence for users. */
  giveUp(node: string, why: string): void {
    this.close(node, why)
    this.#abandoned.add(node)
    this.#signals.emit('job')
  }

  isAbandoned(node: string): boolean {
    return this.#abandoned.has(node)
  }

  /** Called when the node is deleted. */
  forget(node: string): void {
    this.#closed.delete(node)
    this.#abandoned.delete(node)
    this.#live = this.#live.filter((name) => name !== node)
  }

  /** Sets a temporary warning for a reachable node. */
  warn(node: string, what: string, until: number): void {
    this.#troubles.set(node, { what, until })
  }

  trouble(node: string, now: number): string | undefined {
    const trouble = this.#troubles.get(node)
    return trouble && trouble.until > now ? trouble.what : undefined
  }

  /** Why a node's jobs wait; undefined if they do not. */
  why(node: string): string | undefined {
    return this.#live.includes(node) ? undefined : (this.#closed.get(node) ?? `Node ${node} is not connected.`)
  }
}

declare module '../runtime.ts' {
  interface Runtime {
    readonly nodes: NodeGate
  }
  interface Signals {
    /** A node takes jobs from now on. */
    nodeOpen: [node: string]
    /** A node has connected, and its facts are in the store. */
    nodeLinked: [node: string]
  }
}
