import { and, eq, gt } from 'drizzle-orm'
import type { HostClient } from '../../../host/contract/client.ts'
import type { AccountName, AccountUsage } from '../../../host/contract/driver.ts'
import { within } from '../../../host/nodes/fleet/deadline.ts'
import type { Fleet, LinkedHost } from '../../../host/nodes/fleet/fleet.ts'
import type { Engine } from '../../../runtime/areas/engine.ts'
import { every, pause } from '../../../runtime/clock/interval.ts'
import { isUnreachable } from '../../../runtime/jobs/node-errors.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { localNode } from '../../../shared/node-name.ts'
import type { Db } from '../../../store/open.ts'
import { partsOf } from '../objects/part.ts'
import { hostNameOf } from '../objects/state.ts'
import { writeAccount } from '../store.ts'
import { accounts } from '../tables.ts'

const quarter = 15 * 60_000
/** Accounts measured per batch. */
const chunk = 50
/** For the accounts of a batch, on another node. */
const CHUNK_TIMEOUT_MS = 2 * 60_000
/** Accounts written in one commit. */
const perCommit = 500
/** Leaves most of a core free, and still measures a million accounts in a quarter of an hour. */
const pauseMs = 25

/** Far more than a machine has: sums over all accounts are integers that the store can hold, whatever a node claims. */
const MAX_MEASURED = 2 ** 40

/** Stores measurements; inside a change. */
export function keepUsage(runtime: Pick<Runtime, 'areas' | 'store'>, usage: AccountUsage, now: number): void {
  const values = {
    disk_used_mb: Math.min(usage.diskMb, MAX_MEASURED),
    inodes_used: Math.min(usage.inodes, MAX_MEASURED),
    at_least: usage.atLeast ?? false,
    measured_at: now,
  }
  writeAccount(runtime.store.sqlite, values, usage.id)
  for (const { measured } of partsOf(runtime)) measured?.(runtime.store, usage, now)
}

const unmeasured = new Error('The host could not measure the home.')

/** One round over a node's accounts. An account that cannot be measured does not stop it. */
class Round {
  readonly #runtime: Runtime
  readonly #node: string
  readonly #host: HostClient
  readonly #signal: AbortSignal
  readonly #failures: { id: string; error: unknown }[] = []

  constructor(runtime: Runtime, [node, host]: LinkedHost, signal: AbortSignal) {
    this.#runtime = runtime
    this.#node = node
    this.#host = host
    this.#signal = signal
  }

  async run(): Promise<void> {
    let after = ''
    for (let found = this.#next(after); found.length > 0; found = this.#next(after)) {
      const usages = await this.#measure(found)
      if (this.#signal.aborted) return
      await this.#keep(usages)
      after = found.at(-1)!.id
    }
    this.#complain()
  }

  #next = (after: string): NamedAccount[] =>
    this.#signal.aborted ? [] : foundAfter(this.#runtime.store.db, this.#node, after)

  async #measure(found: readonly NamedAccount[]): Promise<AccountUsage[]> {
    const usages: AccountUsage[] = []
    for (let from = 0; from < found.length && !this.#signal.aborted; from += chunk) {
      usages.push(...(await this.#measureChunk(found.slice(from, from + chunk))))
      if (found.length > chunk) await pause(this.#runtime.clock, pauseMs, this.#signal)
    }
    return usages
  }

  async #measureChunk(found: readonly NamedAccount[]): Promise<readonly AccountUsage[]> {
    try {
      const usages = await this.#ask(found.map(hostNameOf))
      const measured = new Set(usages.map(({ id }) => id))
      for (const { id } of found) if (!measured.has(id)) this.#failures.push({ id, error: unmeasured })
      return usages
    } catch (error) {
      if (this.#signal.aborted) return []
      // A node that does not answer for some would not answer for the others.
      if (isUnreachable(error)) throw error
      if (found.length === 1) this.#failures.push({ id: found[0]!.id, error })
      return found.length === 1 ? [] : this.#measureEach(found)
    }
  }

  #ask(found: readonly AccountName[]): Promise<readonly AccountUsage[]> {
    const ask = (signal: AbortSignal) => this.#host.usage({ accounts: found }, { signal })
    if (this.#node === localNode) return ask(this.#signal)
    const after = (ms: number, act: () => void) => this.#runtime.clock.after(ms, act)
    return within({ node: this.#node, ms: CHUNK_TIMEOUT_MS, after, signal: this.#signal }, ask)
  }

  async #measureEach(found: readonly NamedAccount[]): Promise<AccountUsage[]> {
    const usages: AccountUsage[] = []
    for (const one of found) usages.push(...(await this.#measureChunk([one])))
    return usages
  }

  async #keep(usages: readonly AccountUsage[]): Promise<void> {
    const { store, clock } = this.#runtime
    if (usages.length === 0) return
    await store.change(() => {
      for (const usage of usages) keepUsage(this.#runtime, usage, clock.now())
    })
  }

  #complain(): void {
    const [first] = this.#failures
    if (!first) return
    const fields = { err: first.error, account: first.id, accounts: this.#failures.length }
    this.#runtime.log.warn(fields, 'usage of some accounts could not be measured')
  }
}

type NamedAccount = Parameters<typeof hostNameOf>[0]

const foundAfter = (db: Db, node: string, after: string): NamedAccount[] =>
  db
    .select({
      id: accounts.id,
      username: accounts.username,
      applied_username: accounts.applied_username,
      uid: accounts.uid,
      main_domain: accounts.main_domain,
    })
    .from(accounts)
    .where(and(gt(accounts.id, after), eq(accounts.node, node)))
    .orderBy(accounts.id)
    .limit(perCommit)
    .all()

/** Measures every account every 15 minutes, on each node by itself: one that takes long delays no other. */
export class Measuring implements Engine {
  readonly #runtime: Runtime
  readonly #rounds = new Map<string, Promise<void>>()
  readonly #stop: () => Promise<void>

  constructor(runtime: Runtime, fleet: Fleet) {
    this.#runtime = runtime
    this.#stop = every(runtime, quarter, failure, async (signal) => {
      for (const linked of fleet.linked) this.#begin(linked, signal)
    })
  }

  async stop(): Promise<void> {
    await this.#stop()
    await Promise.all(this.#rounds.values())
  }

  /** No job row, no event. A node whose last round still runs gets no second one. */
  #begin(linked: LinkedHost, signal: AbortSignal): void {
    const [node] = linked
    if (this.#rounds.has(node)) return
    const round = new Round(this.#runtime, linked, signal)
      .run()
      .catch((error: unknown) => this.#runtime.log.error({ err: error, node }, failure))
      .finally(() => this.#rounds.delete(node))
    this.#rounds.set(node, round)
  }
}

const failure = 'usage could not be measured'
