import { Conversation } from './conversation.ts'
import { WorkerProcess } from './process.ts'
import type { WorkerVerb, WorkerVerbs } from './verbs.ts'

/** How long one that has nothing to do is kept. */
const keptMs = 15_000

export interface Tenant {
  readonly username: string
  readonly uid: number
}

/** Processes with the rights of tenants: each does one thing at a time, and is kept for a while for the next. */
export class Workers {
  readonly #words: readonly string[]
  readonly #all = new Set<WorkerProcess>()
  readonly #idle = new Map<WorkerProcess, NodeJS.Timeout>()

  constructor(words: readonly string[]) {
    this.#words = words
  }

  ask<Verb extends WorkerVerb>(
    { uid, username }: Tenant,
    verb: Verb,
    told: WorkerVerbs[Verb]['told'],
    signal?: AbortSignal,
  ): Conversation<Verb> {
    signal?.throwIfAborted()
    const giveBack = (worker: WorkerProcess, isClean: boolean) => (isClean ? this.#keep(worker) : worker.end())
    return new Conversation(this.#take(uid), { verb, username, told }, giveBack, signal)
  }

  /** Those that are at work or wait for it. */
  get pids(): ReadonlySet<number> {
    return new Set([...this.#all].flatMap(({ pid }) => pid ?? []))
  }

  /** Lets those go that have nothing to do. */
  close(uid?: number): void {
    for (const worker of this.#idle.keys()) if (uid === undefined || worker.uid === uid) this.#end(worker)
  }

  #take(uid: number): WorkerProcess {
    for (const [worker, timer] of this.#idle) {
      if (worker.uid !== uid) continue
      clearTimeout(timer)
      this.#idle.delete(worker)
      if (!worker.isOver) return worker
    }
    const worker = new WorkerProcess(uid, this.#words)
    this.#all.add(worker)
    worker.ended.then(() => this.#all.delete(worker))
    return worker
  }

  #keep(worker: WorkerProcess): void {
    this.#idle.set(worker, setTimeout(() => this.#end(worker), keptMs).unref())
  }

  #end(worker: WorkerProcess): void {
    clearTimeout(this.#idle.get(worker))
    this.#idle.delete(worker)
    worker.end()
  }
}
