import { startNode, WorkerProcess } from './process.ts'
import { Conversation } from './request.ts'
import type { WorkerVerb, WorkerVerbs } from './verbs.ts'

/** How long to keep an idle worker. */
const IDLE_TIMEOUT_MS = 15_000
/** Delays the start, so that work in flight goes first. */
const soonMs = 300

export interface Tenant {
  readonly username: string
  readonly uid: number
}

export type PoolLocation = (pid: number, tenant: Tenant) => Promise<void>

/** Processes with tenants' privileges: each does one thing at a time, and is kept for a while to be reused. */
export class Workers {
  readonly #words: readonly string[]
  readonly #place: PoolLocation | undefined
  readonly #all = new Set<WorkerProcess>()
  readonly #idle = new Map<WorkerProcess, NodeJS.Timeout>()
  /** Started ahead of need, so that the next caller does not wait for a start. */
  #spare: WorkerProcess | undefined
  #due: NodeJS.Timeout | undefined

  /** `place` puts a process that still has this one's rights where its tenant's belong. */
  constructor(words: readonly string[], place?: PoolLocation) {
    this.#words = words
    this.#place = place
  }

  ask<Verb extends WorkerVerb>(
    tenant: Tenant,
    verb: Verb,
    input: WorkerVerbs[Verb]['input'],
    signal?: AbortSignal,
  ): Conversation<Verb> {
    signal?.throwIfAborted()
    const giveBack = (worker: WorkerProcess, isClean: boolean) => (isClean ? this.#keep(worker) : worker.end())
    return new Conversation(this.#take(tenant), { verb, username: tenant.username, input }, giveBack, signal)
  }

  /** Keeps a spare one from now on, if workers can take on any user. */
  ready(): void {
    if (process.getuid?.() !== 0) return
    this.#due ??= setTimeout(() => {
      this.#due = undefined
      this.#spare ??= this.#start()
    }, soonMs).unref()
  }

  /** All workers: busy, idle and spare. */
  get pids(): ReadonlySet<number> {
    return new Set([...this.#all].flatMap(({ pid }) => pid ?? []))
  }

  /** Ends idle workers. */
  close(uid?: number): void {
    for (const worker of this.#idle.keys()) if (uid === undefined || worker.uid === uid) this.#end(worker)
    if (uid !== undefined) return
    clearTimeout(this.#due)
    this.#spare?.end()
    this.#due = this.#spare = undefined
  }

  #take(tenant: Tenant): WorkerProcess {
    const { uid } = tenant
    for (const [worker, timer] of this.#idle) {
      if (worker.uid !== uid) continue
      clearTimeout(timer)
      this.#idle.delete(worker)
      if (!worker.isOver) return worker
    }
    const worker = this.#takeSpare() ?? this.#start()
    return worker.become(uid, worker.pid === undefined ? undefined : this.#place?.(worker.pid, tenant))
  }

  #takeSpare(): WorkerProcess | undefined {
    const spare = this.#spare
    this.#spare = undefined
    if (spare) this.ready()
    return spare?.isOver ? undefined : spare
  }

  #start(): WorkerProcess {
    const worker = new WorkerProcess(() => startNode(this.#words))
    this.#all.add(worker)
    worker.ended.then(() => this.#all.delete(worker))
    return worker
  }

  #keep(worker: WorkerProcess): void {
    this.#idle.set(worker, setTimeout(() => this.#end(worker), IDLE_TIMEOUT_MS).unref())
  }

  #end(worker: WorkerProcess): void {
    clearTimeout(this.#idle.get(worker))
    this.#idle.delete(worker)
    worker.end()
  }
}
