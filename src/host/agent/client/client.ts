import { randomUUID } from 'node:crypto'
import type {
  Compared,
  Desired,
  FileBytes,
  FilesFromAfar,
  HostClient,
  HostKind,
  HostOptions,
  HostStatus,
  RemovalOptions,
  Revision,
  Superseded,
} from '../../contract/client.ts'
import { superseded } from '../../contract/client.ts'
import {
  type AccountName,
  type AccountState,
  type AccountUsage,
  type ApplyResult,
  type AppName,
  type AppSettling,
  type AppStatus,
  type AppStatuses,
  type BackupBytes,
  type BackupCheck,
  type BackupDownload,
  type BackupFindings,
  type BackupPlace,
  type BackupRequest,
  type BackupTexts,
  type BegunRun,
  type CommandEnd,
  type CronCommand,
  type DatabasesRestore,
  type Deployed,
  type DeployRequest,
  type Destination,
  type Difference,
  FileError,
  type FtpSession,
  type HostAccount,
  HostError,
  type HostTrashItem,
  type Inspection,
  isLeaving,
  leaving,
  type PartRestore,
  type Primary,
  type ProbeResult,
  type ProgramRequest,
  type RestoreFindings,
  type RotateRequest,
  type SavedBackup,
  type ServedDifference,
  type ServedZones,
  type ServerConfig,
  type ServerResult,
  type ServerState,
  type Traffic,
  type TrafficRequest,
  type Visits,
  type VisitsRequest,
} from '../../contract/driver.ts'
import { SUPPORTED_VERSIONS } from '../protocol/hello.ts'
import type { CommandName, CommandOutcome, Hello, Inputs, Leadership, Results } from '../protocol/messages.ts'
import { Connector } from './connector.ts'
import { RemoteFiles } from './files.ts'
import { bytesOf, type Reach } from './inbox.ts'
import { type Link, LinkLost, Outranked } from './link.ts'
import { type Links, SingleLink, unreachableReason } from './single-link.ts'
import type { Transport } from './transport.ts'

export interface Reigning {
  /** Undefined before the first start of a store. */
  readonly claim: Leadership | undefined
  hear(later: Leadership): void
}

export type AgentClientOptions = AgentOptions & ({ readonly transport: Transport } | { readonly link: Link })

interface AgentOptions {
  /** The version of this program. */
  readonly build: string
  readonly after: (ms: number, act: () => void) => () => void
  readonly log: { info(fields: object, message: string): void; warn(fields: object, message: string): void }
  /** The machine that the agent manages. */
  readonly node?: string
  /** How long to keep an idle agent, in milliseconds. */
  readonly keep?: number
  /** The life of the store that this server serves, and a listener for later ones. */
  readonly leadership?: Reigning
  /** Whether it is a service that is always up, not a child of this process. */
  readonly service?: boolean
  /** The kind of driver, if the transport does not imply it. */
  readonly kind?: HostKind
}

interface Asking extends HostOptions {
  /** Not resent if the agent was lost. */
  readonly once?: true
  /** The work outlives the agent, so losing the agent does not fail it. */
  readonly outlives?: true
}

/** A command that crashes the agent must not do so forever. */
const maxLosses = 5
const minute = 60_000

/** The host, through its agent: commands wait while it is unreachable, and are resent if it was lost. */
export class AgentClient implements HostClient {
  readonly #options: AgentClientOptions
  readonly #connector: Links
  #inProgress = 0
  readonly #staying = new Set<string>()
  #cancelRest = (): void => {}

  constructor(options: AgentClientOptions) {
    this.#options = options
    this.#connector =
      'link' in options ? new SingleLink(options.link, options.node ?? 'local') : this.#reconnecting(options)
  }

  #reconnecting({
    transport,
    build,
    after,
    service,
    leadership,
  }: Extract<AgentClientOptions, { transport: Transport }>): Links {
    const hello = {
      type: 'hello',
      protocol: SUPPORTED_VERSIONS,
      build,
      boot: randomUUID(),
      capabilities: [],
      undone: [],
      get leadership() {
        return leadership?.claim
      },
    } as const
    return new Connector({
      transport,
      hello,
      after,
      ...(service && { lasting: true }),
      met: (agent) => this.#met(agent),
      failed: (error) => this.#failed(error),
      lost: () => this.#begin(),
    })
  }

  get status(): HostStatus {
    return this.#connector.status
  }

  get kind(): HostKind {
    return this.#options.kind ?? (this.#options.service ? 'debian' : 'directory')
  }

  /** Connects to a service, to learn whether it runs. */
  open(): void {
    this.#connector.open()
  }

  apply(desired: Desired, options?: HostOptions): Promise<ApplyResult | Superseded> {
    return this.#run('apply', desired, options)
  }

  remove(account: AccountName, order: Revision, options: RemovalOptions = {}): Promise<null | Superseded> {
    const { belongings, ...rest } = options
    return this.#run('remove', { account, order, ...(belongings && { belongings }) }, rest)
  }

  async diff(request: Compared, options?: HostOptions): Promise<readonly Difference[]> {
    const found = await this.#run('diff', request, options)
    return found === superseded ? [] : found
  }

  applyServer(state: ServerState, options?: HostOptions): Promise<ServerResult> {
    return this.#complete('applyServer', state, options)
  }

  serveZones(served: readonly ServedZones[], options?: HostOptions): Promise<ServerResult> {
    return this.#complete('serveZones', { served }, options)
  }

  diffZones(served: readonly ServedZones[], options?: HostOptions): Promise<readonly ServedDifference[]> {
    return this.#complete('diffZones', { served }, options)
  }

  followPrimary(primary?: Primary, options?: HostOptions): Promise<ServerResult> {
    return this.#complete('followPrimary', { ...(primary && { primary }) }, options)
  }

  async room(options?: HostOptions): Promise<number | undefined> {
    return (await this.#complete('room', {}, options)).diskFreeMb
  }

  inspect(options?: HostOptions): Promise<Inspection | null> {
    return this.#complete('inspect', {}, options)
  }

  verify(server: ServerConfig, account: AccountState, options?: HostOptions): Promise<readonly ProbeResult[]> {
    return this.#complete('verify', { server, account }, options)
  }

  async usage(accounts: readonly AccountName[], options?: HostOptions): Promise<readonly AccountUsage[]> {
    const usages = await this.#run('usage', { accounts }, options)
    return usages === superseded ? [] : usages
  }

  async listAccounts(ids?: readonly string[], options?: HostOptions): Promise<readonly HostAccount[]> {
    const accounts = await this.#run('listAccounts', { ...(ids && { ids }) }, options)
    return accounts === superseded ? [] : accounts
  }

  files(account: AccountName): FilesFromAfar {
    return new RemoteFiles(account, this.#reach)
  }

  openBackup(request: BackupDownload, options: HostOptions = {}): Promise<FileBytes<BackupBytes>> {
    const ask = (link: Link) => this.#reach.ask(link, 'openBackup', request, options)
    return bytesOf<BackupBytes>(this.#reach, ask, options)
  }

  validatePlace(destination: Pick<Destination, 'path'>, options?: HostOptions): Promise<null> {
    return this.#complete('validatePlace', destination, options)
  }

  testPlace(destination: Destination, options?: HostOptions): Promise<null> {
    return this.#complete('testPlace', destination, options)
  }

  get #reach(): Reach {
    return {
      once: (act, options = {}) => this.#once(act, options),
      ask: (link, command, input, options) =>
        link.ask(this.#options.node ?? 'local', command, input, options).then((outcome) => doneOf(outcome, options)),
      working: () => this.#working(),
    }
  }

  /** For acts that must not run twice: it may have been done before the agent was lost. */
  async #once<T>(act: (link: Link) => Promise<T>, options: HostOptions): Promise<T> {
    const rest = this.#working()
    try {
      return await act(await this.#connector.link(options))
    } catch (error) {
      throw error instanceof LinkLost ? new FileError('overloaded', error.message) : error
    } finally {
      rest()
    }
  }

  /** Keeps the agent busy until the returned function is called. */
  #working(): () => void {
    this.#inProgress++
    this.#cancelRest()
    let over = false
    return () => {
      if (over) return
      over = true
      if (--this.#inProgress === 0) this.#restLater()
    }
  }

  backUp(order: BackupRequest, options?: HostOptions): Promise<SavedBackup> {
    return this.#complete('backup', order, options)
  }

  checkBackup(check: BackupCheck, options?: HostOptions): Promise<BackupFindings> {
    return this.#complete('checkBackup', check, options)
  }

  removeBackup(place: BackupPlace, options?: HostOptions): Promise<null> {
    return this.#complete('removeBackup', { place }, options)
  }

  async runCron(command: CronCommand, options: HostOptions = {}): Promise<CommandEnd | undefined> {
    try {
      return await this.#leavable(options, (own) => this.#complete('runCron', command, { ...own, once: true }))
    } catch (error) {
      if (error instanceof LinkLost) return undefined
      throw error
    }
  }

  async awaitCron(begun: BegunRun, options: HostOptions = {}): Promise<CommandEnd | undefined> {
    const { end } = await this.#leavable(options, (own) =>
      this.#complete('awaitCron', begun, { ...own, outlives: true }),
    )
    return end ?? undefined
  }

  /** Lets a caller leave without aborting the command, unless it would end with this process. */
  #leavable<T>(options: HostOptions, act: (own: HostOptions) => Promise<T>): Promise<T> {
    return this.kind === 'debian' ? untilLeft(options, act) : act(options)
  }

  stay(reason: string, on: boolean): void {
    if (this.#staying.has(reason) === on) return
    if (on) this.#staying.add(reason)
    else this.#staying.delete(reason)
    this.#cancelRest()
    this.#begin()
    if (this.#inProgress === 0) this.#restLater()
  }

  /** Connects if the agent must stay up. Failures are ignored, as the connector retries. */
  #begin(): void {
    if (this.#staying.size > 0) void this.#connector.link({}).catch(() => {})
  }

  readBackup(check: BackupCheck, options?: HostOptions): Promise<BackupTexts> {
    return this.#complete('readBackup', check, options)
  }

  restorePart(request: PartRestore, options?: HostOptions): Promise<null> {
    return this.#complete('restorePart', request, options)
  }

  restoreDatabases(request: DatabasesRestore, options?: HostOptions): Promise<RestoreFindings> {
    return this.#complete('restoreDatabases', request, options)
  }

  deployApp(order: DeployRequest, options?: HostOptions): Promise<Deployed> {
    return this.#complete('deployApp', order, options)
  }

  settleApp(settling: AppSettling, options?: HostOptions): Promise<AppStatus> {
    return this.#complete('settleApp', settling, options)
  }

  restartApp(app: AppName, options?: HostOptions): Promise<AppStatus> {
    return this.#complete('restartApp', app, options)
  }

  appStatus(after?: string, options?: HostOptions): Promise<AppStatuses> {
    return this.#complete('appStatus', { ...(after !== undefined && { after }) }, options)
  }

  async trash(measured: boolean, options?: HostOptions): Promise<readonly HostTrashItem[]> {
    return (await this.#complete('hostTrash', { measured }, options)).items
  }

  emptyTrash(before: number, options?: HostOptions): Promise<{ readonly removed: number }> {
    return this.#complete('emptyHostTrash', { before }, options)
  }

  traffic(order: TrafficRequest, options?: HostOptions): Promise<Traffic> {
    return this.#complete('traffic', order, options)
  }

  visits(order: VisitsRequest, options?: HostOptions): Promise<readonly Visits[]> {
    return this.#complete('visits', order, options)
  }

  rotateLogs(order: RotateRequest, options?: HostOptions): Promise<null> {
    return this.#complete('rotateLogs', order, options)
  }

  openProgram(order: ProgramRequest, options?: HostOptions): Promise<{ readonly token: string }> {
    return this.#complete('openProgram', order, options)
  }

  async ftpSessions(options?: HostOptions): Promise<readonly FtpSession[]> {
    return (await this.#complete('ftpSessions', {}, options)).items
  }

  async refusedDomains(options?: HostOptions): Promise<readonly string[]> {
    return (await this.#complete('refusedDomains', {}, options)).items
  }

  close(): Promise<void> {
    this.#staying.clear()
    this.#cancelRest()
    return this.#connector.close()
  }

  async #run<Name extends CommandName>(
    command: Name,
    input: Inputs[Name],
    options: Asking = {},
  ): Promise<Results[Name] | Superseded> {
    const rest = this.#working()
    try {
      return resultOf(await this.#carriedOut(command, input, options), options)
    } finally {
      rest()
    }
  }

  /** For commands that no other supersedes. */
  async #complete<Name extends CommandName>(
    command: Name,
    input: Inputs[Name],
    options?: Asking,
  ): Promise<Results[Name]> {
    const result = await this.#run(command, input, options)
    if (result === superseded) throw new Error(`The host agent answered that ${command} was superseded.`)
    return result
  }

  async #carriedOut<Name extends CommandName>(
    command: Name,
    input: Inputs[Name],
    options: Asking,
  ): Promise<CommandOutcome<Name>> {
    for (let losses = 1; ; losses++) {
      try {
        const link = await this.#connector.link(options)
        return await link.ask(this.#options.node ?? 'local', command, input, options)
      } catch (error) {
        if (!(error instanceof LinkLost) || options.once) throw error
        if ('link' in this.#options)
          throw new HostError('stage', unreachableReason(this.#options.node ?? 'local'), 'unreachable')
        if (losses === maxLosses) throw exhausted(options)
        options.waits?.(
          `${error.message} ${this.#options.service ? 'Connecting to it again.' : 'It is started again.'}`,
        )
      }
    }
  }

  #restLater(): void {
    const { after, keep = minute, service } = this.#options
    if (!service && this.#staying.size === 0) this.#cancelRest = after(keep, () => void this.#connector.rest())
  }

  #failed(error: Error): void {
    const { log, leadership } = this.#options
    if (error instanceof Outranked) leadership?.hear(error.leadership)
    log.warn({ reason: error.message }, 'the host agent cannot be reached')
  }

  #met({ build, boot, capabilities, undone }: Hello): void {
    const { log } = this.#options
    log.info({ build, boot, capabilities }, 'connected to the host agent')
    if (undone.length > 0) log.warn({ undone }, 'changes to the host that a crash left unfinished were rolled back')
  }
}

const exhausted = ({ outlives }: Asking): HostError =>
  outlives
    ? new HostError('stage', 'Lost the connection to the host agent repeatedly.', 'unreachable')
    : new HostError('stage', 'The host agent exited each time it started this change.')

/** A caller that leaves hears no more; a cancellation is passed on to the command. */
function untilLeft<T>({ signal, ...rest }: HostOptions, act: (own: HostOptions) => Promise<T>): Promise<T> {
  if (!signal) return act(rest)
  const own = new AbortController()
  return new Promise<T>((resolve, reject) => {
    const hear = (): void => (isLeaving(signal) ? reject(leaving) : own.abort(signal.reason))
    const done = (): void => signal.removeEventListener('abort', hear)
    signal.addEventListener('abort', hear)
    if (signal.aborted) hear()
    act({ ...rest, signal: own.signal })
      .finally(done)
      .then(resolve, reject)
  })
}

function doneOf<Name extends CommandName>(outcome: CommandOutcome<Name>, options: HostOptions): Results[Name] {
  const result = resultOf(outcome, options)
  if (result === superseded) throw new Error('The host agent answered that files were superseded.')
  return result
}

function resultOf<Name extends CommandName>(
  outcome: CommandOutcome<Name>,
  { signal }: HostOptions,
): Results[Name] | Superseded {
  if (outcome.status === 'done') return outcome.result
  if (outcome.status === 'superseded') return superseded
  if (outcome.status === 'cancelled') throw signal?.reason ?? new Error('The host agent stopped a command by itself.')
  if (outcome.status === 'unsupported') throw new HostError('unsupported', outcome.message)
  if (outcome.fileError) throw FileError.from(outcome.message, outcome.fileError)
  throw outcome.stage ? new HostError(outcome.stage, outcome.message) : new Error(outcome.message)
}
