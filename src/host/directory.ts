import { join, resolve } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { checkAccount, checkAccountName, checkServer } from './check.ts'
import type {
  AccountName,
  AccountState,
  AccountUsage,
  ApplyOptions,
  ApplyResult,
  HostArea,
  HostDriver,
  HostState,
  HostWarning,
  UsageOptions,
} from './driver.ts'
import { homeOf } from './home.ts'
import { accountOf, homeKey, keysOf, planAccount, planHome, planRemoval, type Wanted } from './install/account.ts'
import { type Checks, type Faults, install } from './install/engine.ts'
import { adoptRecords } from './install/former.ts'
import { settle, unsettled } from './install/journal.ts'
import { KeyedLock } from './install/lock.ts'
import { readManifest } from './install/manifest.ts'
import { countIn, isEmpty, type Plan } from './install/plan.ts'
import { makeJournalDir, planServer, serverKey } from './install/server.ts'
import { Tree } from './install/tree.ts'
import { asHostError, inWords } from './install/trouble.ts'
import { BandwidthLog } from './measure/bandwidth.ts'
import { eachOf } from './measure/pool.ts'
import { type Bounds, measure } from './measure/walk.ts'
import { parts } from './parts/index.ts'

export interface DirectoryOptions {
  /** The directory that stands for the root of the host's file system. */
  readonly root: string
  readonly now?: () => number
  readonly checks?: Checks
  /** How much of a home is measured. */
  readonly bounds?: Bounds
  /** Told each step of an installation before it is taken, so that a test can stop there. */
  readonly faults?: Faults
}

const accountsAtOnce = 4
const megabyte = 1024 * 1024

/** The driver that needs no privileges: a whole host as files below one directory, with no daemon to reload. */
export function createDirectoryDriver(options: DirectoryOptions): HostDriver {
  return new DirectoryDriver(options)
}

class DirectoryDriver implements HostDriver {
  readonly kind = 'directory'
  readonly #options: DirectoryOptions
  readonly #root: string
  readonly #now: () => number
  readonly #lock = new KeyedLock()
  readonly #bandwidth: BandwidthLog

  constructor(options: DirectoryOptions) {
    this.#options = options
    this.#root = resolve(options.root)
    this.#now = options.now ?? Date.now
    this.#bandwidth = new BandwidthLog(join(this.#root, 'var/log/panel/bandwidth.log'))
  }

  async recover(): Promise<{ undone: string[] }> {
    await adoptRecords(this.#root)
    makeJournalDir(this.#root)
    const undone = unsettled(this.#root).filter((key) => settle(this.#root, key))
    return { undone: [...new Set(undone.filter((key) => key !== serverKey).map(accountOf))] }
  }

  async apply({ server, accounts }: HostState, options: ApplyOptions = {}): Promise<ApplyResult> {
    checkServer(server)
    accounts.forEach(checkAccount)
    await this.#prepare()
    const done: Applied[] = []
    const failures: unknown[] = []
    await eachOf(accounts.toReversed(), accountsAtOnce, async (account) => {
      try {
        done.push(await this.#applyTo({ account, server, areas: options.areas }, options.signal))
        report(account, done.length / accounts.length, options)
      } catch (error) {
        failures.push(error)
      }
    })
    if (failures.length > 0) throw failures[0]
    return resultOf(done, options.areas)
  }

  async remove(account: AccountName): Promise<void> {
    checkAccountName(account)
    await this.#prepare()
    const time = new Date(this.#now()).toISOString().replaceAll(/[-:]|\.\d+/g, '')
    await this.#inTurn(account.id, () => this.#carryOut(account.id, (tree) => planRemoval(tree, account, time)))
  }

  async usage(accounts: readonly AccountName[], { signal }: UsageOptions = {}): Promise<AccountUsage[]> {
    accounts.forEach(checkAccountName)
    return inWords('validate', () => this.#measure(accounts, signal))
  }

  async #measure(accounts: readonly AccountName[], signal: AbortSignal | undefined): Promise<AccountUsage[]> {
    await this.#bandwidth.catchUp(this.#now())
    const usage: AccountUsage[] = []
    for (const account of accounts) {
      signal?.throwIfAborted()
      usage.push(await this.#usageOf(account, signal))
    }
    return usage
  }

  async #usageOf(account: AccountName, signal: AbortSignal | undefined): Promise<AccountUsage> {
    // Its home has its former name until the rename is applied.
    const username = readManifest(new Tree(this.#root), account.id)?.username ?? account.username
    const size = await measure(join(this.#root, homeOf(username)), this.#options.bounds, signal)
    return {
      id: account.id,
      diskMb: inMegabytes(size.bytes),
      inodes: size.inodes,
      bandwidthMb: inMegabytes(this.#bandwidth.bytesOf(username)),
      ...(size.atLeast ? { atLeast: true } : {}),
    }
  }

  async #prepare(): Promise<void> {
    await inWords('stage', () => makeJournalDir(this.#root))
    await this.#inTurn(serverKey, () => this.#carryOut(serverKey, planServer))
  }

  #applyTo(wanted: Wanted, signal: AbortSignal | undefined): Promise<Applied> {
    const { id } = wanted.account
    return this.#inTurn(id, async () => {
      const plan = await this.#carryOut(id, (tree) => planAccount(tree, wanted), signal)
      return plan.withHome ? { plans: [plan] } : this.#applyHome(plan, wanted, signal)
    })
  }

  async #applyHome(plan: Plan, wanted: Wanted, signal: AbortSignal | undefined): Promise<Applied> {
    try {
      const home = () => this.#carryOut(homeKey(wanted.account.id), (tree) => planHome(tree, wanted), signal)
      return { plans: [plan, await inWords('stage', home)] }
    } catch (error) {
      if (signal?.aborted) throw error
      return { plans: [plan], warning: warningOf(wanted.account, error) }
    }
  }

  /** What is of one owner is done one after the other. */
  #inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.#lock.run(key, () => inWords('stage', work))
  }

  /** Plans and installs, after bringing to its end what was left half done. */
  async #carryOut<P extends Plan>(key: string, plan: (tree: Tree) => P, signal?: AbortSignal): Promise<P> {
    await nextTurn()
    signal?.throwIfAborted()
    for (const left of keysOf(accountOf(key))) settle(this.#root, left)
    const tree = new Tree(this.#root)
    const planned = plan(tree)
    const { checks, faults } = this.#options
    if (!isEmpty(planned)) await install(tree, planned, { checks, faults, signal })
    return planned
  }
}

/** What became of one account. */
interface Applied {
  readonly plans: readonly Plan[]
  readonly warning?: HostWarning
}

function resultOf(done: readonly Applied[], wanted: readonly HostArea[] | undefined): ApplyResult {
  const plans = done.flatMap((one) => one.plans)
  const areas = wanted ?? parts.map(({ name }) => name)
  return {
    areas: areas.map((area) => ({ area, changed: countIn(plans, area) })),
    warnings: done.flatMap(({ warning }) => warning ?? []),
  }
}

function warningOf({ id, username }: AccountState, error: unknown): HostWarning {
  const { message } = asHostError('stage', error)
  return { kind: 'home', account: id, message: `The inside of the home of ${username} was not updated: ${message}` }
}

const inMegabytes = (bytes: number) => Math.ceil(bytes / megabyte)

function report(account: AccountState, share: number, { progress }: ApplyOptions): void {
  progress?.(`${account.username}: files are in place`, share)
}
