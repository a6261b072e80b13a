import type { EventEmitter } from 'node:events'
import { localNode } from '../shared/node-name.ts'
import type { Signals } from './runtime.ts'

/** How many jobs run at a time on a node that is not the control plane's own. */
export const jobsOfNode = 4

/** Which nodes take jobs now, and why the others do not: their jobs wait, and are not looked at. */
export class NodeGate {
  #live: readonly string[] = [localNode]
  readonly #closed = new Map<string, string>()
  readonly #givenUp = new Set<string>()
  readonly #troubles = new Map<string, { readonly what: string; readonly until: number }>()
  readonly #signals: EventEmitter<Signals>

  constructor(signals: EventEmitter<Signals>) {
    this.#signals = signals
  }

  get live(): readonly string[] {
    return this.#live
  }

  /** Those whose jobs are begun: the ones of a node that was given up fail at once, and hold up nothing behind them. */
  get begun(): readonly string[] {
    return [...this.#live, ...this.#givenUp]
  }

  /** Its jobs run from now on. */
  open(node: string): void {
    this.forget(node)
    if (!this.#live.includes(node)) this.#live = [...this.#live, node]
    this.#signals.emit('job')
    this.#signals.emit('nodeOpen', node)
  }

  /** Its jobs wait, and why: one sentence. */
  close(node: string, why: string): void {
    this.forget(node)
    this.#closed.set(node, why)
  }

  /** It never comes back: its jobs end, and why: one sentence. */
  giveUp(node: string, why: string): void {
    this.close(node, why)
    this.#givenUp.add(node)
    this.#signals.emit('job')
  }

  isGivenUp(node: string): boolean {
    return this.#givenUp.has(node)
  }

  /** It was deleted. */
  forget(node: string): void {
    this.#closed.delete(node)
    this.#givenUp.delete(node)
    this.#live = this.#live.filter((name) => name !== node)
  }

  /** What is wrong with a node that answers, for a while. */
  warn(node: string, what: string, until: number): void {
    this.#troubles.set(node, { what, until })
  }

  trouble(node: string, now: number): string | undefined {
    const trouble = this.#troubles.get(node)
    return trouble && trouble.until > now ? trouble.what : undefined
  }

  /** Why jobs of a node wait; nothing where they do not. */
  why(node: string): string | undefined {
    return this.#live.includes(node) ? undefined : (this.#closed.get(node) ?? `Node ${node} is not connected.`)
  }
}

declare module './runtime.ts' {
  interface Runtime {
    readonly nodes: NodeGate
  }
  interface Signals {
    /** Jobs of a node run from now on. */
    nodeOpen: [node: string]
    /** A node has connected, and what it says of itself is in the store. */
    nodeLinked: [node: string]
  }
}
