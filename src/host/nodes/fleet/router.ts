import { localNode } from '../../../shared/node-name.ts'
import type {
  Compared,
  Desired,
  FilesFromAfar,
  HostClient,
  HostKind,
  HostOptions,
  HostStatus,
  RemovalOptions,
  Revision,
} from '../../contract/client.ts'
import type {
  AccountName,
  AccountState,
  AccountUsage,
  AppName,
  AppSettling,
  BackupCheck,
  BackupDownload,
  BackupPlace,
  BackupRequest,
  BegunRun,
  CronCommand,
  DatabasesRestore,
  DeployRequest,
  Destination,
  FtpSession,
  HostTrashItem,
  LogPlace,
  PartRestore,
  Primary,
  ProgramRequest,
  RotateRequest,
  ServedZones,
  ServerConfig,
  ServerState,
  TrafficRequest,
  Visits,
  VisitsRequest,
} from '../../contract/driver.ts'
import { FileError, HostError } from '../../contract/driver.ts'
import { type Deadline, REPLY_TIMEOUT_MS, within } from './deadline.ts'
import type { Fleet } from './fleet.ts'

export interface RouterHooks {
  /** The node that hosts an account, by the account's id. */
  nodeOf(account: string): string
  /** Whether a node hosts accounts. */
  holdsAccounts(node: string): boolean
  after: Deadline['after']
  /** Called for a node that failed where others answered. */
  failed(node: string, error: unknown): void
}

/** To look at everything of one kind, as nobody waits for it. */
const LOOK_TIMEOUT_MS = 60_000
/** To try a backup destination, which may be slow itself. */
const DESTINATION_TIMEOUT_MS = 20_000
/** To rename and compress a day's logs. */
const ROTATE_TIMEOUT_MS = 10 * 60_000
/** To remove trash: a job, which has its own limits. */
const EMPTY_TIMEOUT_MS = 24 * 60 * 60_000

/** All hosts as one: requests about an account go to its node, all others to the control plane's own host. */
export class Router implements HostClient {
  readonly #fleet: Fleet
  readonly #hooks: RouterHooks

  constructor(fleet: Fleet, hooks: RouterHooks) {
    this.#fleet = fleet
    this.#hooks = hooks
  }

  get #local(): HostClient {
    return this.#fleet.driverOf(localNode)
  }

  #of(account: string): HostClient {
    return this.#fleet.driverOf(this.#hooks.nodeOf(account))
  }

  get status(): HostStatus {
    return this.#local.status
  }

  get kind(): HostKind {
    return this.#local.kind
  }

  apply = (desired: Desired, options?: HostOptions) => this.#of(desired.account.id).apply(desired, options)
  remove = (account: AccountName, order: Revision, options?: RemovalOptions) =>
    this.#of(account.id).remove(account, order, options)
  diff = (request: Compared, options?: HostOptions) =>
    (request.account ? this.#of(request.account.id) : this.#local).diff(request, options)
  verify = (server: ServerConfig, account: AccountState, options?: HostOptions) =>
    this.#of(account.id).verify(server, account, options)
  files = (account: AccountName): FilesFromAfar => this.#of(account.id).files(account)
  backUp = (order: BackupRequest, options?: HostOptions) => this.#of(order.account.id).backUp(order, options)
  checkBackup = (check: BackupCheck, options?: HostOptions) => this.#of(check.place.account).checkBackup(check, options)
  removeBackup = (place: BackupPlace, options?: HostOptions) => this.#of(place.account).removeBackup(place, options)
  readBackup = (check: BackupCheck, options?: HostOptions) => this.#of(check.place.account).readBackup(check, options)
  openBackup = (request: BackupDownload, options?: HostOptions) =>
    this.#of(request.place.account).openBackup(request, options)
  restorePart = (request: PartRestore, options?: HostOptions) =>
    this.#of(request.account.id).restorePart(request, options)
  restoreDatabases = (request: DatabasesRestore, options?: HostOptions) =>
    this.#of(request.account.id).restoreDatabases(request, options)
  runCron = (command: CronCommand, options?: HostOptions) => this.#of(command.account.id).runCron(command, options)
  awaitCron = (begun: BegunRun, options?: HostOptions) => this.#of(begun.account.id).awaitCron(begun, options)
  deployApp = (order: DeployRequest, options?: HostOptions) => this.#of(order.account.id).deployApp(order, options)
  settleApp = (settling: AppSettling, options?: HostOptions) =>
    this.#of(settling.app.account.id).settleApp(settling, options)
  restartApp = (app: AppName, options?: HostOptions) => this.#of(app.account.id).restartApp(app, options)
  openProgram = (order: ProgramRequest, options?: HostOptions) => this.#of(order.account.id).openProgram(order, options)

  async usage(accounts: readonly AccountName[], options?: HostOptions): Promise<readonly AccountUsage[]> {
    const nodes = this.#byNode(accounts, ({ id }) => id)
    const usages = await Promise.all(nodes.map(([node, some]) => this.#fleet.driverOf(node).usage(some, options)))
    return usages.flat()
  }

  /** A site whose node fails has no new visits. */
  async visits(order: VisitsRequest, options?: HostOptions): Promise<readonly Visits[]> {
    const visits: Visits[] = order.sites.map(({ since }) => noNews(since))
    const ask = async ([node, some]: [string, [number, VisitsRequest['sites'][number]][]]) => {
      const sites = some.map(([, site]) => site)
      const host = this.#fleet.driverOf(node)
      const asking = { options, ms: LOOK_TIMEOUT_MS }
      const found = await this.#orElse(node, (to) => host.visits({ ...order, sites }, to), [], asking)
      for (const [n, [place]] of some.entries()) visits[place] = found[n] ?? visits[place]!
    }
    await Promise.all(this.#byNode([...order.sites.entries()], ([, { account }]) => account.id).map(ask))
    return visits
  }

  applyServer = (state: ServerState, options?: HostOptions) => this.#local.applyServer(state, options)
  serveZones = (served: readonly ServedZones[], options?: HostOptions) => this.#local.serveZones(served, options)
  diffZones = (served: readonly ServedZones[], options?: HostOptions) => this.#local.diffZones(served, options)
  followPrimary = (primary?: Primary, options?: HostOptions) => this.#local.followPrimary(primary, options)
  room = (options?: HostOptions) => this.#local.room(options)
  inspect = (options?: HostOptions) => this.#local.inspect(options)
  listAccounts = (ids?: readonly string[], options?: HostOptions) => this.#local.listAccounts(ids, options)
  stay = (reason: string, on: boolean) => this.#local.stay(reason, on)
  appStatus = (after?: string, options?: HostOptions) => this.#local.appStatus(after, options)
  /** Each node with accounts writes its own backups. */
  async validatePlace(destination: Pick<Destination, 'path'>, options?: HostOptions): Promise<null> {
    await this.#everyWriter((host, to) => host.validatePlace(destination, to), { options, ms: DESTINATION_TIMEOUT_MS })
    return null
  }

  async testPlace(destination: Destination, options?: HostOptions): Promise<null> {
    await this.#everyWriter((host, to) => host.testPlace(destination, to), { options, ms: DESTINATION_TIMEOUT_MS })
    return null
  }

  async trash(measured: boolean, options?: HostOptions): Promise<readonly HostTrashItem[]> {
    const items = await this.#everywhere((host, to) => host.trash(measured, to), { options, ms: LOOK_TIMEOUT_MS })
    return items.flat().sort((one, other) => one.deletedAt - other.deletedAt)
  }

  async emptyTrash(before: number, options?: HostOptions): Promise<{ readonly removed: number }> {
    const emptied = await this.#everywhere((host, to) => host.emptyTrash(before, to), { options, ms: EMPTY_TIMEOUT_MS })
    return { removed: emptied.reduce((sum, { removed }) => sum + removed, 0) }
  }

  traffic = (order: TrafficRequest, options?: HostOptions) => this.#local.traffic(order, options)
  async rotateLogs(order: RotateRequest, options?: HostOptions): Promise<null> {
    await this.#everywhere((host, to) => host.rotateLogs(order, to), { options, ms: ROTATE_TIMEOUT_MS })
    return null
  }

  async ftpSessions(options?: HostOptions): Promise<readonly FtpSession[]> {
    const sessions = await this.#everywhere((host, to) => host.ftpSessions(to), { options, ms: REPLY_TIMEOUT_MS })
    return sessions.flat()
  }

  async refusedDomains(options?: HostOptions): Promise<readonly string[]> {
    const domains = await this.#everywhere((host, to) => host.refusedDomains(to), { options, ms: REPLY_TIMEOUT_MS })
    return domains.flat()
  }

  /** The answers of all linked hosts; a failed or slow node holds up no other. */
  async #everywhere<T>(ask: Ask<T>, asking: Asking): Promise<T[]> {
    const request = this.#fleet.linked.map(([node, host]) =>
      this.#orElse(node, (to) => ask(host, to), undefined, asking),
    )
    return (await Promise.all(request)).filter((answer) => answer !== undefined)
  }

  async #everyWriter(ask: Ask<null>, asking: Asking): Promise<void> {
    const writers = this.#fleet.linked.filter(([node]) => node === localNode || this.#hooks.holdsAccounts(node))
    const request = writers.map(([node, host]) =>
      this.#inTime(node, (to) => ask(host, to), asking).catch((error: unknown) => refuseAs(node, error)),
    )
    await Promise.all(request)
  }

  /** The control plane's own host must answer. */
  #orElse<T, Other>(node: string, ask: AskOne<T>, other: Other, asking: Asking): Promise<T | Other> {
    const request = this.#inTime(node, ask, asking)
    if (node === localNode) return request
    return request.catch((error: unknown) => {
      this.#hooks.failed(node, error)
      return other
    })
  }

  /** Other nodes have a deadline. */
  #inTime<T>(node: string, ask: AskOne<T>, { options, ms }: Asking): Promise<T> {
    if (node === localNode) return ask(options)
    const { after } = this.#hooks
    return within({ node, ms, after, signal: options?.signal }, (signal) => ask({ ...options, signal }))
  }

  #byNode<T>(items: readonly T[], accountOf: (item: T) => string): [string, T[]][] {
    const nodes = new Map<string, T[]>()
    for (const item of items) {
      const node = this.#hooks.nodeOf(accountOf(item))
      const known = nodes.get(node)
      if (known) known.push(item)
      else nodes.set(node, [item])
    }
    return [...nodes]
  }
}

type AskOne<T> = (options: HostOptions | undefined) => Promise<T>
type Ask<T> = (host: HostClient, options: HostOptions | undefined) => Promise<T>

interface Asking {
  readonly options: HostOptions | undefined
  /** The deadline. */
  readonly ms: number
}

const noNews = (since: LogPlace | undefined): Visits => ({
  days: [],
  next: since ?? { file: '0', offset: 0 },
  more: false,
})

/** A node that is unreachable now is not asked for approval. */
function refuseAs(node: string, error: unknown): null {
  if (node === localNode || !(error instanceof HostError)) throw error
  if (error.code === 'unreachable') return null
  if (!(error instanceof FileError)) throw new HostError(error.stage, `Node ${node}: ${error.message}`, error.code)
  const { reason, field, message, size } = error
  const prefix = field === undefined ? '' : `${field}: `
  throw new FileError(reason, `${prefix}on node ${node}: ${message.replace(prefix, '')}`, field, size)
}
