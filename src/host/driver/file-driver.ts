import { dirname, join, resolve } from 'node:path'
import { ulid } from 'ulid'
import { allSettled } from '../../shared/async/all-settled.ts'
import { Coalesced } from '../../shared/async/coalesce.ts'
import { KeyedLock } from '../../shared/lock.ts'
import { type AppTimes, defaultTimes } from '../apps/config.ts'
import { Apps } from '../apps/index.ts'
import { DirectoryBackups } from '../backup/index.ts'
import { checkAccount, checkAccountName, checkBelongings, checkServer } from '../contract/check.ts'
import type { Inputs, Results } from '../contract/commands/index.ts'
import type {
  AccountName,
  AccountState,
  AccountUsage,
  ApplyOptions,
  ApplyResult,
  BegunRun,
  CommandEnd,
  Condition,
  CronCommand,
  Difference,
  Doing,
  HostArea,
  HostDriver,
  HostFeature,
  HostFiles,
  HostImports,
  HostPrograms,
  HostState,
  HostWarning,
  Inspection,
  OutgoingMail,
  ProbeResult,
  RemoveOptions,
  Revision,
  ServedDifference,
  ServerResult,
  ServerState,
} from '../contract/driver.ts'
import { hostFeatures, isProgram } from '../contract/driver.ts'
import { FileError, HostError } from '../contract/error.ts'
import { differencesOf } from '../diff/differences.ts'
import { Dumps } from '../dumps/index.ts'
import type { HomeAccess } from '../homes/access.ts'
import { isInHome, logsTrash, trashDir } from '../homes/home-paths.ts'
import { HostTrash } from '../homes/host-trash.ts'
import { importDir } from '../imports/placing.ts'
import {
  type AccountPlan,
  accountOf,
  type DesiredAccount,
  homeKey,
  planAccount,
  planHome,
  planRemoval,
} from '../install/account.ts'
import type { AppliedRecord } from '../install/applied.ts'
import { adoptRecords, adoptTrash } from '../install/former.ts'
import { manifestFolder, readManifest } from '../install/manifest.ts'
import { goneOf } from '../install/names.ts'
import { countIn, type Plan, refuseErrors } from '../install/plan.ts'
import { planPrimary, planServed, primaryKey, servedKey } from '../install/served.ts'
import { makeJournalDir, planServer, serverKey } from '../install/server.ts'
import { Transactions, type TransactionsOptions } from '../install/transactions.ts'
import { Tree } from '../install/tree.ts'
import { asHostError, isMachineError, isMachineErrorAtHome, withUserMessage } from '../install/user-message.ts'
import { changeQueue, listQueue } from '../mail-queue/select.ts'
import { eachOf } from '../measure/pool.ts'
import type { Bounds } from '../measure/walk.ts'
import { checkServed } from '../parts/dns/check.ts'
import { parts } from '../parts/index.ts'
import type { Gone } from '../parts/part.ts'
import { checkPrimary } from '../parts/server/primary.ts'
import { checkServerState } from '../parts/server/state.ts'
import { testRelay } from '../smtp/test-relay.ts'
import type { TenantCommands } from '../tenant/tenants.ts'
import { DirectoryLogs } from '../traffic/index.ts'
import { watchSpace } from '../traffic/watch.ts'
import { runTask } from '../wordpress/run.ts'
import { directoryMachine } from './directory-machine.ts'
import type { Machine } from './machine.ts'
import { reclaimHomes } from './reclaim-homes.ts'

export interface DirectoryOptions extends TransactionsOptions {
  /** The directory that stands for the host's root. */
  readonly root: string
  readonly now?: () => number
  /** Limits for measuring a home. */
  readonly bounds?: Bounds
  /** Whether to run tenants' programs, as this process's own user. */
  readonly trustTenants?: boolean
  readonly appTimes?: AppTimes
  /** Instead of a directory's, which does nothing but hold files. */
  readonly machine?: Machine
}

type Ordered = (id: string, order: Revision) => void

/** Keys of what no account on this host owns. */
const serverKeys: readonly string[] = [serverKey, servedKey, primaryKey]

const accountsAtOnce = 4
const megabyte = 1024 * 1024

/** The unprivileged driver: a whole host as files below one directory, with no daemons to reload. */
export function createDirectoryDriver(options: DirectoryOptions): HostDriver {
  return new DirectoryDriver(options)
}

class DirectoryDriver implements HostDriver {
  readonly kind: HostDriver['kind']
  readonly #machine: Machine
  readonly #root: string
  readonly #now: () => number
  readonly #homes: HomeAccess
  readonly #transactions: Transactions
  readonly backups: DirectoryBackups
  readonly dumps: Dumps
  readonly imports: HostImports
  readonly apps: Apps
  readonly programs: HostPrograms
  readonly #tenants: TenantCommands
  readonly #trash: HostTrash
  readonly logs: DirectoryLogs
  readonly #closing = new AbortController()
  readonly #preparing = new Coalesced(() => this.#planServer())

  constructor({ now = Date.now, bounds, trustTenants = false, appTimes, ...options }: DirectoryOptions) {
    const root = resolve(options.root)
    const { onFailPoint } = options
    const machine = options.machine ?? directoryMachine({ root, trustTenants, bounds, onFailPoint, now })
    this.kind = machine.kind
    this.#machine = machine
    this.programs = machine.programs
    this.#root = root
    this.#now = now
    this.#tenants = machine.commands
    this.#transactions = new Transactions(this.#root, {
      ...options,
      checks: options.checks ?? machine.checks,
      ...(machine.owners && { owners: machine.owners }),
    })
    const nameOf = (account: AccountName) => this.#usernameOf(account)
    this.#homes = machine.homes(nameOf)
    this.imports = {
      ...machine.imports,
      clearImport: async ({ account }) => {
        await this.#homes.saved(account).clear(importDir)
        return {}
      },
    }
    const lock = new KeyedLock()
    this.dumps = new Dumps({ root: this.#root, homes: this.#homes, databases: machine.databases, onFailPoint }, lock)
    this.backups = new DirectoryBackups({
      lock,
      root: this.#isReal ? join(this.#root, 'var/lib/panel-host/backups') : join(dirname(this.#root), 'backups'),
      host: this.#root,
      onFailPoint,
      homes: join(this.#root, 'home'),
      homeOf: (account) => this.#homes.saved(account),
      databases: machine.databases,
      quota: machine.quota,
    })
    const apps = {
      root: this.#root,
      trusted: this.#isReal || trustTenants,
      times: appTimes ?? defaultTimes,
      onFailPoint: onFailPoint ?? (() => {}),
    }
    this.apps = new Apps({ ...apps, runner: machine.apps })
    this.#trash = new HostTrash([trashDir, logsTrash].map((place) => join(this.#root, place)))
    this.logs = new DirectoryLogs({
      logs: join(this.#root, 'var/log/panel'),
      nameOf: (account) => this.#usernameOf(account),
      now,
      reopen: () => machine.reopenLogs(),
      appsHoldLogs: this.#isReal,
      services: machine.logs,
    })
  }

  /** Whether its files are a machine's own, below which daemons and users are. */
  get #isReal(): boolean {
    return this.kind === 'debian'
  }

  async recover(ordered: Ordered = () => {}): Promise<{ undone: string[] }> {
    // On a real machine that path is the server's own.
    if (!this.#isReal) await adoptRecords(this.#root)
    await adoptTrash(this.#root)
    makeJournalDir(this.#root)
    await this.#tenants.recover()
    await this.backups.recover()
    const undone = this.#transactions.recover()
    // The files that daemons' configurations include; the first job reports an error.
    if (this.#isReal) await this.#prepare().catch(() => {})
    await this.#applyLost(ordered)
    await this.#machine.recover()
    await this.apps.recover()
    if (this.#isReal) void reclaimHomes(this.#root, this.#homes, this.#closing.signal).catch(() => {})
    if (this.#machine.logs.length > 0) watchSpace({ path: join(this.#root, 'var/log'), sweep: () => this.logs.sweep() })
    return { undone: [...new Set(undone.filter((key) => !serverKeys.includes(key)).map(accountOf))] }
  }

  /** After a power loss: reapplies what was acknowledged but may not have reached the disk. */
  async #applyLost(ordered: Ordered): Promise<void> {
    const { applied } = this.#transactions
    const lost = applied.lost()
    // Records hold keys and hashes: those of an earlier process go soon, without the start waiting for it.
    if (lost.length === 0) return void applied.checkpoint().catch(() => {})
    for (const { id, order } of lost) if (order) ordered(id, order)
    await this.#prepare()
    for (const record of lost) await this.#applyAgain(record).catch(passOver)
    await applied.checkpoint()
  }

  async #applyAgain({ server, account, order, files: wrote }: AppliedRecord): Promise<void> {
    if (!server || !account) return
    checkServer(server)
    checkAccount(account)
    await this.#applyTo({ server, account, order, wrote, again: true }, undefined)
  }

  async apply({ server, accounts }: HostState, options: ApplyOptions = {}): Promise<ApplyResult> {
    const { areas, order, signal } = options
    checkServer(server)
    accounts.forEach(checkAccount)
    await this.#prepare()
    await this.#machine.prepare(server)
    const done: Applied[] = []
    const failures: unknown[] = []
    await eachOf(accounts.toReversed(), accountsAtOnce, async (account) => {
      try {
        done.push(await this.#applyTo({ account, server, areas, order }, signal))
        report(account, done.length / accounts.length, options)
      } catch (error) {
        failures.push(error)
      }
    })
    if (failures.length > 0) throw failures[0]
    return resultOf(done, areas)
  }

  async remove(account: AccountName, { order, belongings }: RemoveOptions = {}): Promise<void> {
    checkAccountName(account)
    if (belongings) checkBelongings(belongings)
    // What waits for work in the home must not wait for what a program of the account stopped.
    await this.endWork(account).catch(() => {})
    await this.#endAll(account)
    this.#tenants.forget?.(account)
    await this.backups.leave(account.id)
    await this.#prepare()
    const time = new Date(this.#now()).toISOString().replaceAll(/[-:]|\.\d+/g, '')
    await this.#transactions.inTurn(account.id, async () => {
      await this.#transactions.applied.add({ id: account.id, ...(order && { order }) })
      await this.#machine.stop(account)
      const plan = await this.#alone(() =>
        this.#transactions.execute(account.id, (tree) => planRemoval(tree, account, time)),
      )
      await this.#machine.forget(account, plan, belongings)
    })
  }

  async endWork(account: AccountName): Promise<void> {
    checkAccountName(account)
    await this.#machine.endWork(account)
  }

  async applyServer(state: ServerState): Promise<ServerResult> {
    checkServerState(state)
    await withUserMessage('stage', () => makeJournalDir(this.#root))
    const request = { state, facts: this.#machine.facts() }
    return this.#transactions.inTurn(serverKey, async () => {
      const plan = await this.#alone(() => this.#transactions.execute(serverKey, (tree) => planServer(tree, request)))
      await this.#machine.settleServer(plan, state)
      return { changed: changedFiles(plan) }
    })
  }

  async serveZones({ served }: Inputs['serveZones']): Promise<ServerResult> {
    served.forEach(checkServed)
    return this.#ofNameServer(servedKey, (tree) => planServed(tree, served))
  }

  async diffZones({ served }: Inputs['diffZones']): Promise<ServedDifference[]> {
    served.forEach(checkServed)
    return this.#transactions.inTurn(servedKey, async () =>
      served.flatMap((one) =>
        this.#compare((tree) => planServed(tree, [one])).differences.map((found) => ({ id: one.id, ...found })),
      ),
    )
  }

  async followPrimary({ primary }: Inputs['followPrimary']): Promise<ServerResult> {
    if (primary) checkPrimary(primary)
    return this.#ofNameServer(primaryKey, (tree) => planPrimary(tree, primary))
  }

  async #ofNameServer(key: string, planned: (tree: Tree) => Plan): Promise<ServerResult> {
    await this.#prepare()
    return this.#transactions.inTurn(key, async () => {
      const plan = await this.#alone(() => this.#transactions.execute(key, planned))
      await this.#machine.settleZones(plan)
      return { changed: changedFiles(plan) }
    })
  }

  async diff({ server, account, state }: Inputs['diff']): Promise<Difference[]> {
    checkServer(server)
    if (state) checkServerState(state)
    if (!account) {
      const files = this.#compare((tree) => planServer(tree, state && { state, facts: this.#machine.facts() }))
      return [...files.differences, ...(await this.#machine.serverDifferences())]
    }
    checkAccount(account)
    return this.#transactions.inTurn(account.id, async () => {
      const outside = this.#compare((tree) => planAccount(tree, { account, server, facts: this.#machine.facts() }))
      const inside = outside.plan?.withHome ? undefined : this.#compare((tree) => planHome(tree, { account, server }))
      const others = await this.#machine.differences(account)
      const running = this.#isReal ? this.apps.differences(account) : []
      return [...outside.differences, ...(inside?.differences ?? []), ...others, ...running]
    })
  }

  inspect(): Promise<Inspection | null> {
    return this.#machine.inspect()
  }

  condition(): Promise<Condition | null> {
    return this.#machine.condition()
  }

  verify(state: Inputs['verify'], doing: Doing = {}): Promise<readonly ProbeResult[]> {
    return this.#machine.verify(state, doing)
  }

  async ftpSessions(): Promise<Results['ftpSessions']> {
    return { items: await this.#machine.ftpSessions() }
  }

  async refusedDomains(): Promise<Results['refusedDomains']> {
    return { items: await this.#machine.refusedDomains() }
  }

  async exchangeBans(input: Inputs['exchangeBans']): Promise<Results['exchangeBans']> {
    return this.#machine.bans.exchange(input)
  }

  firewall(): Promise<Results['firewall']> {
    return withUserMessage('stage', () => this.#machine.firewall.report())
  }

  changeFirewall(change: Inputs['changeFirewall']): Promise<void> {
    return withUserMessage('install', () => this.#machine.firewall.change(change))
  }

  confirmFirewall({ id }: Inputs['confirmFirewall']): Promise<Results['confirmFirewall']> {
    return withUserMessage('install', () => this.#machine.firewall.confirm(id))
  }

  #compare<P extends Plan>(plan: (tree: Tree) => P) {
    return compare(new Tree(this.#root, this.#machine.owners), plan)
  }

  async usage({ accounts }: Inputs['usage'], { signal }: Doing = {}): Promise<AccountUsage[]> {
    accounts.forEach(checkAccountName)
    return withUserMessage('validate', () => this.#measure(accounts, signal))
  }

  files(account: AccountName): HostFiles {
    checkAccountName(account)
    return this.#homes.files(account)
  }

  /** Undefined before its first apply. */
  #usernameOf({ id }: AccountName): string | undefined {
    return readManifest(new Tree(this.#root), id)?.username
  }

  async runCron(command: CronCommand, { signal }: Doing = {}): Promise<CommandEnd> {
    checkAccountName(command.account)
    return this.#tenants.runCron(command, signal)
  }

  async awaitCron(begun: BegunRun, { signal }: Doing = {}): Promise<Results['awaitCron']> {
    checkAccountName(begun.account)
    return { end: (await this.#tenants.awaitCron?.(begun, signal)) ?? null }
  }

  async runWordpress(request: Inputs['runWordpress'], { signal }: Doing = {}): Promise<Results['runWordpress']> {
    checkAccountName(request.account)
    const host = {
      root: this.#root,
      commands: this.#tenants,
      // A unit without a network has the database's socket alone.
      constants: this.#isReal ? { DB_HOST: 'localhost' } : {},
    }
    return { answer: await runTask(host, request, signal) }
  }

  hostTrash({ measured }: Inputs['hostTrash'], { signal }: Doing = {}): Promise<Results['hostTrash']> {
    return withUserMessage('stage', async () => ({ items: await this.#trash.list(measured, signal) }))
  }

  emptyHostTrash({ before }: Inputs['emptyHostTrash'], doing: Doing = {}): Promise<Results['emptyHostTrash']> {
    return withUserMessage('remove', () => this.#trash.empty(before, doing))
  }

  mailQueue(page: Inputs['mailQueue'], doing: Doing = {}): Promise<Results['mailQueue']> {
    return withUserMessage('stage', () => listQueue(this.#machine.mailQueue(), page, doing))
  }

  wafHits(query: Inputs['wafHits']): Promise<Results['wafHits']> {
    return withUserMessage('stage', () => this.#machine.wafHits().page(query))
  }

  mailTrace(query: Inputs['mailTrace'], doing: Doing = {}): Promise<Results['mailTrace']> {
    return withUserMessage('stage', () => this.#machine.mailTrace().page(query, doing))
  }

  changeMailQueue(change: Inputs['changeMailQueue'], doing: Doing = {}): Promise<Results['changeMailQueue']> {
    return withUserMessage('install', () => changeQueue(this.#machine.mailQueue(), change, doing))
  }

  async canSendMail(): Promise<Results['canSendMail']> {
    return { ready: await this.#machine.canSendMail() }
  }

  sendMail(mail: OutgoingMail): Promise<void> {
    return this.#machine.sendMail(mail)
  }

  testRelay(test: Inputs['testRelay'], { signal }: Doing = {}): Promise<Results['testRelay']> {
    return withUserMessage('stage', () => testRelay(test, { signal }))
  }

  checkpoint(): Promise<void> {
    return this.#transactions.applied.checkpoint()
  }

  close(): void {
    this.#closing.abort()
    this.apps.close()
    this.#tenants.endNow()
  }

  async #measure(accounts: readonly AccountName[], signal: AbortSignal | undefined): Promise<AccountUsage[]> {
    const nameOf = (account: AccountName) => this.#usernameOf(account) ?? account.username
    const known = await this.#machine.measure(accounts.map(nameOf))
    const usage = new Map<string, AccountUsage>()
    const failures: unknown[] = []
    await eachOf(accounts.toReversed(), accountsAtOnce, async (account) => {
      signal?.throwIfAborted()
      try {
        usage.set(account.id, { ...(await this.#usageOf(account, signal)), ...known.get(nameOf(account)) })
      } catch (error) {
        failures.push(error)
      }
    })
    signal?.throwIfAborted()
    // One account must not hide what is known of the others.
    if (failures.length > 0 && usage.size === 0) throw failures[0]
    return accounts.flatMap(({ id }) => usage.get(id) ?? [])
  }

  async #usageOf(account: AccountName, signal: AbortSignal | undefined): Promise<AccountUsage> {
    const { bytes, inodes, atLeast, mailboxes } = await this.#homes.measure(account, signal)
    return {
      id: account.id,
      diskMb: inMegabytes(bytes),
      inodes,
      ...(atLeast ? { atLeast: true } : {}),
      mailboxes,
    }
  }

  get features(): readonly HostFeature[] {
    const facts = this.#machine.facts()
    return hostFeatures.filter((feature) =>
      isProgram(feature) ? facts?.programs?.includes(feature) : !this.#isReal || facts?.[feature],
    )
  }

  #prepare(): Promise<void> {
    return this.#preparing.run()
  }

  async #planServer(): Promise<void> {
    await withUserMessage('stage', () => makeJournalDir(this.#root))
    await this.#transactions.inTurn(serverKey, () => this.#transactions.execute(serverKey, (tree) => planServer(tree)))
  }

  async #applyTo(request: DesiredAccount, signal: AbortSignal | undefined): Promise<Applied> {
    const { id, suspended, parts } = request.account
    signal?.throwIfAborted()
    const reachesApps = request.areas?.includes('apps') ?? true
    // At this process's start they are taken up later.
    const runsApps = reachesApps && !request.again
    if (suspended) await this.#endAll(request.account)
    else if (runsApps) await this.apps.end(id, isIn(parts.apps.apps), async () => {})
    await this.#endFormer(request.account)
    const applied = await this.#install(request, signal)
    if (reachesApps) await this.apps.forget(request.account)
    if (runsApps) this.apps.follow(request.account)
    return applied
  }

  /** Everything that runs for an account. */
  #endAll(account: AccountName): Promise<void> {
    return this.apps.end(
      account.id,
      () => false,
      () => this.#tenants.end(account),
    )
  }

  /** A user can be renamed only when nothing runs as it. */
  async #endFormer(account: AccountName): Promise<void> {
    const former = this.#isReal ? this.#usernameOf(account) : undefined
    if (former !== undefined && former !== account.username) await this.#endAll({ ...account, username: former })
  }

  #install(request: DesiredAccount, signal: AbortSignal | undefined): Promise<Applied> {
    const { id } = request.account
    return this.#transactions.inTurn(id, async () => {
      signal?.throwIfAborted()
      const record = ({ files }: AccountPlan) => recordOf({ ...request, wrote: files })
      await this.#machine.makeUser(request.account)
      const outside = { ...request, homeApart: this.#isReal, facts: this.#machine.facts() }
      const plan = await this.#alone(() =>
        this.#transactions.execute(id, (tree) => planAccount(tree, outside), { signal, record }),
      )
      const home = async (): Promise<Applied> =>
        plan.withHome
          ? { plans: [plan], warnings: [] }
          : this.#applyHome(plan, { ...request, wrote: plan.files }, signal)
      const settle = async () => this.#machine.settle(request.account, [plan], request.areas)
      // A suspension first ends all programs of the account, which could hold up the work in its home; else daemons
      // reload while the home is being filled.
      if (request.account.suspended) await settle()
      const [applied] = await allSettled([home(), request.account.suspended ? undefined : settle()])
      return { ...applied, warnings: [...applied.warnings, ...(await this.#trashGone(request, signal))] }
    })
  }

  /** After the daemons have let go of it: a message that arrived in the meantime must not wait for the next owner. */
  async #trashGone({ account, areas }: DesiredAccount, signal: AbortSignal | undefined): Promise<HostWarning[]> {
    const gone = goneOf(account, areas)
    const warnings: HostWarning[] = []
    const renamed = gone.length === 0 || readManifest(new Tree(this.#root), account.id)?.homeDomain === undefined
    for (const one of gone) {
      const moving = renamed ? this.#trashOne(account, one, signal) : Promise.reject(homeNotRenamed)
      const failed = await moving.then(
        () => undefined,
        (error: unknown) => asHostError('stage', error),
      )
      signal?.throwIfAborted()
      if (failed) warnings.push(trashWarning(account, one, failed))
    }
    return warnings
  }

  async #trashOne(account: AccountName, { path }: Gone, signal: AbortSignal | undefined): Promise<void> {
    const now = this.#now()
    const input = { path: Buffer.from(path).toString('base64'), id: ulid(now), now, whenFull: 'undescribed' } as const
    try {
      await this.#homes.files(account).act('trash', input, signal ? { signal } : {})
    } catch (error) {
      if (!(error instanceof FileError && error.reason === 'not-found')) throw error
    }
  }

  /** A daemon checks all accounts' files together: another account's change in progress must not fail this one. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#isReal ? this.#transactions.inTurn('machine', work) : work()
  }

  async #applyHome(plan: Plan, request: DesiredAccount, signal: AbortSignal | undefined): Promise<Applied> {
    const doing = { signal, record: () => recordOf(request) }
    const key = homeKey(request.account.id)
    const home = async () => {
      if (!this.#isReal) return this.#transactions.execute(key, (tree) => planHome(tree, request), doing)
      const planned = planHome(new Tree(this.#root), request)
      refuseErrors(planned)
      await this.#machine.fillHome(request.account, planned)
      await this.#transactions.execute(key, () => outsideHomes(planned), doing)
      return planned
    }
    try {
      return { plans: [plan, await withUserMessage('stage', home)], warnings: [] }
    } catch (error) {
      if (signal?.aborted || (request.again && isMachineErrorAtHome(error))) throw error
      return { plans: [plan], warnings: [warningOf(request.account, error)] }
    }
  }
}

const isIn = (apps: readonly { readonly id: string }[]): ((id: string) => boolean) => {
  const ids = new Set(apps.map(({ id }) => id))
  return (id) => ids.has(id)
}

/** The rest of a plan once homes are done. */
const outsideHomes = (plan: Plan): Plan => ({
  ...plan,
  moves: plan.moves.filter(({ to }) => !isInHome(to)),
  makes: plan.makes.filter(({ dir }) => !isInHome(dir.path)),
  chmods: plan.chmods.filter(({ dir }) => !isInHome(dir.path)),
  changes: plan.changes.filter(({ path }) => !isInHome(path)),
})

/** A plan's changes; an error is reported in their place. */
function compare<P extends Plan>(tree: Tree, plan: (tree: Tree) => P): { plan?: P; differences: Difference[] } {
  try {
    const made = plan(tree)
    return { plan: made, differences: differencesOf(tree, made) }
  } catch (error) {
    if (!(error instanceof HostError)) throw error
    return { differences: [{ path: '/', change: 'fault', note: error.message }] }
  }
}

/** One account that fails must not delay the others; what the machine refuses is retried later. */
function passOver(error: unknown): void {
  if (isMachineError(error)) throw error
}

const recordOf = ({ account, server, order, wrote }: DesiredAccount): AppliedRecord => ({
  id: account.id,
  ...(order && { order }),
  server,
  account,
  ...(wrote ? { files: wrote } : {}),
})

/** The result for one account. */
interface Applied {
  readonly plans: readonly Plan[]
  readonly warnings: readonly HostWarning[]
}

function resultOf(done: readonly Applied[], request: readonly HostArea[] | undefined): ApplyResult {
  const plans = done.flatMap((one) => one.plans)
  const areas = request ?? parts.map(({ name }) => name)
  return {
    areas: areas.map((area) => ({ area, changed: countIn(plans, area) })),
    warnings: done.flatMap(({ warnings }) => warnings),
  }
}

function warningOf({ id, username }: AccountState, error: unknown): HostWarning {
  const { message } = asHostError('stage', error)
  return { kind: 'home', account: id, message: `The inside of the home of ${username} was not updated: ${message}` }
}

const homeNotRenamed = new HostError('stage', 'its home still has the former domain.')

function trashWarning({ id, username }: AccountState, gone: Gone, { message }: HostError): HostWarning {
  const sentence = `${gone.path} of ${username} could not be moved to the trash: ${message}`
  return { kind: 'trash', account: id, object: gone.id, message: sentence }
}

const changedFiles = ({ changes }: Plan): number =>
  changes.filter(({ path }) => !path.startsWith(manifestFolder)).length

const inMegabytes = (bytes: number) => Math.ceil(bytes / megabyte)

function report(account: AccountState, share: number, { progress }: ApplyOptions): void {
  progress?.(`${account.username}: files are in place`, share)
}
