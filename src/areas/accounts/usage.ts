import { gt } from 'drizzle-orm'
import type { HostClient } from '../../host/client.ts'
import type { AccountUsage } from '../../host/driver.ts'
import type { Engine } from '../../runtime/engine.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { every, pause } from '../../runtime/tick.ts'
import type { Db } from '../../store/open.ts'
import { partsOf } from './part.ts'
import { hostNameOf } from './state.ts'
import { writeAccount } from './store.ts'
import { accounts } from './tables.ts'

const quarter = 15 * 60_000
/** Accounts measured per batch. */
const chunk = 50
/** Accounts written in one commit. */
const perCommit = 500
/** Leaves most of a core free, and still measures a million accounts in a quarter of an hour. */
const pauseMs = 25

/** Stores measurements; inside a change. */
export function keepUsage(runtime: Pick<Runtime, 'areas' | 'store'>, usage: AccountUsage, now: number): void {
  const values = {
    disk_used_mb: usage.diskMb,
    inodes_used: usage.inodes,
    at_least: usage.atLeast ?? false,
    measured_at: now,
  }
  writeAccount(runtime.store.sqlite, values, usage.id)
  for (const { measured } of partsOf(runtime)) measured?.(runtime.store, usage, now)
}

const unmeasured = new Error('The host could not measure the home.')

/** One round over all accounts. An account that cannot be measured does not stop it. */
class Round {
  readonly #runtime: Runtime
  readonly #host: HostClient
  readonly #signal: AbortSignal
  readonly #failures: { id: string; error: unknown }[] = []

  constructor(runtime: Runtime, host: HostClient, signal: AbortSignal) {
    this.#runtime = runtime
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

  #next = (after: string): Found[] => (this.#signal.aborted ? [] : foundAfter(this.#runtime.store.db, after))

  async #measure(found: readonly Found[]): Promise<AccountUsage[]> {
    const usages: AccountUsage[] = []
    for (let from = 0; from < found.length && !this.#signal.aborted; from += chunk) {
      usages.push(...(await this.#measureChunk(found.slice(from, from + chunk))))
      if (found.length > chunk) await pause(this.#runtime.clock, pauseMs, this.#signal)
    }
    return usages
  }

  async #measureChunk(found: readonly Found[]): Promise<readonly AccountUsage[]> {
    try {
      const usages = await this.#host.usage(found.map(hostNameOf), { signal: this.#signal })
      const measured = new Set(usages.map(({ id }) => id))
      for (const { id } of found) if (!measured.has(id)) this.#failures.push({ id, error: unmeasured })
      return usages
    } catch (error) {
      if (this.#signal.aborted) return []
      if (found.length === 1) this.#failures.push({ id: found[0]!.id, error })
      return found.length === 1 ? [] : this.#measureEach(found)
    }
  }

  async #measureEach(found: readonly Found[]): Promise<AccountUsage[]> {
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

type Found = Parameters<typeof hostNameOf>[0]

const foundAfter = (db: Db, after: string): Found[] =>
  db
    .select({
      id: accounts.id,
      username: accounts.username,
      applied_username: accounts.applied_username,
      uid: accounts.uid,
      main_domain: accounts.main_domain,
    })
    .from(accounts)
    .where(gt(accounts.id, after))
    .orderBy(accounts.id)
    .limit(perCommit)
    .all()

/** Measures every account every 15 minutes until told to stop. No job row, no event. */
export const measuring = (runtime: Runtime, host: HostClient): Engine => ({
  stop: every(runtime, quarter, 'usage could not be measured', (signal) => new Round(runtime, host, signal).run()),
})
