import { join, resolve } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { checkAccount, checkAccountName, checkServer } from './check.ts'
import type {
  AccountName,
  AccountState,
  AccountUsage,
  ApplyOptions,
  ApplyResult,
  HostDriver,
  HostState,
} from './driver.ts'
import { homeOf } from './home.ts'
import { planAccount, planRemoval } from './install/account.ts'
import { type Checks, type Faults, install } from './install/engine.ts'
import { settle, unsettled } from './install/journal.ts'
import { KeyedLock } from './install/lock.ts'
import { readManifest } from './install/manifest.ts'
import { countIn, isEmpty, type Plan } from './install/plan.ts'
import { makeJournalDir, planServer, serverKey } from './install/server.ts'
import { Tree } from './install/tree.ts'
import { inWords } from './install/trouble.ts'
import { BandwidthLog } from './measure/bandwidth.ts'
import { eachOf } from './measure/pool.ts'
import { measure } from './measure/walk.ts'
import { parts } from './parts/index.ts'

export interface DirectoryOptions {
  /** The directory that stands for the root of the host's file system. */
  readonly root: string
  readonly now?: () => number
  readonly checks?: Checks
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
    makeJournalDir(this.#root)
    const undone = unsettled(this.#root).filter((key) => settle(this.#root, key))
    return { undone: undone.filter((key) => key !== serverKey) }
  }

  async apply({ server, accounts }: HostState, options: ApplyOptions = {}): Promise<ApplyResult> {
    checkServer(server)
    accounts.forEach(checkAccount)
    await this.#prepare()
    const plans: Plan[] = []
    const failures: unknown[] = []
    await eachOf(accounts.toReversed(), accountsAtOnce, async (account) => {
      try {
        plans.push(
          await this.#transact(account.id, (tree) => planAccount(tree, account, server, options.areas), options),
        )
        report(account, plans.length / accounts.length, options)
      } catch (error) {
        failures.push(error)
      }
    })
    if (failures.length > 0) throw failures[0]
    const areas = options.areas ?? parts.map(({ name }) => name)
    return { areas: areas.map((area) => ({ area, changed: countIn(plans, area) })), warnings: [] }
  }

  async remove(account: AccountName): Promise<void> {
    checkAccountName(account)
    await this.#prepare()
    const time = new Date(this.#now()).toISOString().replaceAll(/[-:]|\.\d+/g, '')
    await this.#transact(account.id, (tree) => planRemoval(tree, account, time))
  }

  async usage(accounts: readonly AccountName[]): Promise<AccountUsage[]> {
    accounts.forEach(checkAccountName)
    return inWords('validate', () => this.#measure(accounts))
  }

  async #measure(accounts: readonly AccountName[]): Promise<AccountUsage[]> {
    await this.#bandwidth.catchUp(this.#now())
    const usage: AccountUsage[] = []
    for (const account of accounts) usage.push(await this.#usageOf(account))
    return usage
  }

  async #usageOf(account: AccountName): Promise<AccountUsage> {
    // Its home has its former name until the rename is applied.
    const username = readManifest(new Tree(this.#root), account.id)?.username ?? account.username
    const { bytes, inodes } = await measure(join(this.#root, homeOf(username)))
    const traffic = this.#bandwidth.bytesOf(username)
    return { id: account.id, diskMb: inMegabytes(bytes), inodes, bandwidthMb: inMegabytes(traffic) }
  }

  async #prepare(): Promise<void> {
    await inWords('stage', () => makeJournalDir(this.#root))
    await this.#transact(serverKey, planServer)
  }

  /** Plans and installs under the key's lock, after bringing to its end what was left half done. */
  async #transact(key: string, plan: (tree: Tree) => Plan, { signal }: ApplyOptions = {}): Promise<Plan> {
    return this.#lock.run(key, () => inWords('stage', () => this.#carryOut(key, plan, signal)))
  }

  async #carryOut(key: string, plan: (tree: Tree) => Plan, signal: AbortSignal | undefined): Promise<Plan> {
    await nextTurn()
    signal?.throwIfAborted()
    settle(this.#root, key)
    const tree = new Tree(this.#root)
    const planned = plan(tree)
    const { checks, faults } = this.#options
    if (!isEmpty(planned)) await install(tree, planned, { checks, faults, signal })
    return planned
  }
}

const inMegabytes = (bytes: number) => Math.ceil(bytes / megabyte)

function report(account: AccountState, share: number, { progress }: ApplyOptions): void {
  progress?.(`${account.username}: files are in place`, share)
}
