import type { Readable } from 'node:stream'
import type {
  AccountName,
  AccountState,
  AccountUsage,
  Answered,
  ApplyResult,
  AppName,
  AppSettling,
  AppStatus,
  AppStatuses,
  BackupBytes,
  BackupCheck,
  BackupDownload,
  BackupFindings,
  BackupOrder,
  BackupPlace,
  BackupTexts,
  BegunRun,
  Belongings,
  ByteVerbs,
  CommandEnd,
  CronCommand,
  DatabasesRestore,
  Deployed,
  DeployOrder,
  Destination,
  Difference,
  FileEntry,
  FileVerb,
  FtpSession,
  HeldAccount,
  HostArea,
  HostDriver,
  HostTrashItem,
  Inspection,
  Order,
  PartRestore,
  Primary,
  ProbeResult,
  ProgramOrder,
  RestoreFindings,
  RotateOrder,
  SavedBackup,
  ServedDifference,
  ServedZones,
  ServerConfig,
  ServerResult,
  ServerState,
  Told,
  Traffic,
  TrafficOrder,
  Visits,
  VisitsOrder,
} from './driver.ts'

export type { FtpSession, HeldAccount, Inspection, Order } from './driver.ts'

/** An account's desired state, and how new it is. */
export interface Desired {
  readonly order: Order
  readonly server: ServerConfig
  readonly account: AccountState
  /** All of them if absent. */
  readonly areas?: readonly HostArea[] | undefined
}

/** What the host is compared with: an account, or, without one, what no account owns. */
export interface Compared {
  readonly server: ServerConfig
  readonly account?: AccountState | undefined
  readonly state?: ServerState | undefined
}

export interface HostOptions {
  readonly signal?: AbortSignal | undefined
  /** Told as the work goes on: one line for the job's log, and the share that is done, 0 to 1. */
  readonly progress?: (line: string, done: number) => void
  /** Told why the work waits, and when it goes on. */
  readonly waits?: (line: string) => void
}

/** Nothing was done: the host was told of a newer state of the account before. */
export const superseded = Symbol('superseded')
export type Superseded = typeof superseded

export interface RemovalOptions extends HostOptions {
  readonly belongings?: Belongings
}

/** The host as the panel reaches it: through its agent, which may be away. Verbs are safe to repeat unless said. */
export interface HostClient {
  /** Makes the host match the account's state, whole or not at all. */
  apply(desired: Desired, options?: HostOptions): Promise<ApplyResult | Superseded>
  /** Takes an account off the host with what belongs to it, its home to the trash. */
  remove(account: AccountName, order: Order, options?: RemovalOptions): Promise<null | Superseded>
  /** How the host differs from an account's state, or, without one, from what no account owns. Changes nothing. */
  diff(wanted: Compared, options?: HostOptions): Promise<readonly Difference[]>
  /** Makes what no account owns match the store, whole or not at all. */
  applyServer(state: ServerState, options?: HostOptions): Promise<ServerResult>
  /** Answers for zones of accounts of other hosts, all of them or none: those that are told of an account are all it has. */
  serveZones(served: readonly ServedZones[], options?: HostOptions): Promise<ServerResult>
  /** How the host differs from what it should answer for accounts of other hosts. Changes nothing. */
  diffZones(served: readonly ServedZones[], options?: HostOptions): Promise<readonly ServedDifference[]>
  /** Has the name server take all zones of a primary; of none without one. */
  followPrimary(primary?: Primary, options?: HostOptions): Promise<ServerResult>
  /** Free room of the disk that homes lie on, in megabytes; nothing where the system does not say. */
  room(options?: HostOptions): Promise<number | undefined>
  /** What the machine is like; nothing if the host is a directory. */
  inspect(options?: HostOptions): Promise<Inspection | null>
  /** Asks the services of the machine for what they should answer of an account. */
  verify(server: ServerConfig, account: AccountState, options?: HostOptions): Promise<readonly ProbeResult[]>
  /** Measures; an account that is not on the host measures zero. */
  usage(accounts: readonly AccountName[], options?: HostOptions): Promise<readonly AccountUsage[]>
  /** All accounts that the host holds, by id alone; or those of these ids, with their names. */
  held(ids?: readonly string[], options?: HostOptions): Promise<readonly HeldAccount[]>
  /** The files of an account's home. What fails is not sent again: it may have been done. */
  files(account: AccountName): FilesFromAfar
  /** Makes a backup from empty, whole or not at all. */
  backUp(order: BackupOrder, options?: HostOptions): Promise<SavedBackup>
  /** Compares a backup with what was written down when it was made. */
  checkBackup(check: BackupCheck, options?: HostOptions): Promise<BackupFindings>
  removeBackup(place: BackupPlace, options?: HostOptions): Promise<null>
  /**
   * Runs a command of an account's cron; never twice. Nothing: the agent was lost, and may know of it when it is back.
   * Who stops asking with the reason `leaving` leaves it running where it can.
   */
  runCron(command: CronCommand, options?: HostOptions): Promise<CommandEnd | undefined>
  /** How a command ends that was begun before. Nothing: it is not known, and runs no more. */
  awaitCron(begun: BegunRun, options?: HostOptions): Promise<CommandEnd | undefined>
  /**
   * Whether something keeps the agent running, and has it started again when it was lost, though nothing is asked of it:
   * the reason by its name.
   */
  stay(reason: string, on: boolean): void
  /** Makes a release and starts it beside the current one, until it is healthy. An apply of the apps switches to it. */
  deployApp(order: DeployOrder, options?: HostOptions): Promise<Deployed>
  /** Waits until an app is as it was applied, and removes releases that are not kept. */
  settleApp(settling: AppSettling, options?: HostOptions): Promise<AppStatus>
  /** Starts an app anew, without losing a request. */
  restartApp(app: AppName, options?: HostOptions): Promise<AppStatus>
  /** How the apps are: at once, or, told of an answer, when there is another. */
  appStatus(after?: string, options?: HostOptions): Promise<AppStatuses>
  /** What the panel wrote into a backup. */
  readBackup(check: BackupCheck, options?: HostOptions): Promise<BackupTexts>
  /** Refuses a directory that cannot hold backups, or, without one, a host without restic. */
  judgePlace(destination: Pick<Destination, 'path'>, options?: HostOptions): Promise<null>
  /** Whether backups can be kept there; makes a repository where there is none. */
  testPlace(destination: Destination, options?: HostOptions): Promise<null>
  /** Bytes of a backup as it is kept. */
  openBackup(wanted: BackupDownload, options?: HostOptions): Promise<FileBytes<BackupBytes>>
  /** Puts a part of a backup back into a home, whole or not at all. */
  restorePart(wanted: PartRestore, options?: HostOptions): Promise<null>
  /** Makes databases anew with what is in a backup, each whole or not at all. */
  restoreDatabases(wanted: DatabasesRestore, options?: HostOptions): Promise<RestoreFindings>
  /** What was moved aside when accounts and mailboxes were deleted, the oldest first; `measured`: with its sizes. */
  trash(measured: boolean, options?: HostOptions): Promise<readonly HostTrashItem[]>
  /** Removes for good what was moved aside before a moment. */
  emptyTrash(before: number, options?: HostOptions): Promise<{ readonly removed: number }>
  /** What a log of the whole server says was transferred, from a place on. */
  traffic(order: TrafficOrder, options?: HostOptions): Promise<Traffic>
  /** What the access logs of sites say, each from its place on. */
  visits(order: VisitsOrder, options?: HostOptions): Promise<readonly Visits[]>
  /** Begins new logs, compresses those of the days before the last, and removes the oldest. */
  rotateLogs(order: RotateOrder, options?: HostOptions): Promise<null>
  /** Has a program of the host let in, once and within a minute, who brings the token. */
  openProgram(order: ProgramOrder, options?: HostOptions): Promise<{ readonly token: string }>
  /** Sessions of FTP that are open, of all accounts. */
  ftpSessions(options?: HostOptions): Promise<readonly FtpSession[]>
  readonly status: HostStatus
  readonly kind: HostKind
}

export interface FilesFromAfar {
  act<Verb extends FileVerb>(verb: Verb, told: Told<Verb>, options?: HostOptions): Promise<Answered<Verb>>
  read(told: ByteVerbs['read']['told'], options?: HostOptions): Promise<FileBytes>
  readLog(told: ByteVerbs['readLog']['told'], options?: HostOptions): Promise<FileBytes>
  write(told: ByteVerbs['write']['told'], options?: HostOptions): Promise<Outbox<FileEntry>>
  append(told: ByteVerbs['append']['told'], options?: HostOptions): Promise<Outbox<ByteVerbs['append']['commit']>>
}

/** Bytes on their way from the host, and what they are of. */
export interface FileBytes<Answer = ByteVerbs['read']['answer']> {
  readonly answer: Answer
  readonly stream: Readable
}

/** Bytes on their way to the host. */
export interface Outbox<Done> {
  /** Sends all of a stream; throws what the host refuses of it. */
  send(bytes: AsyncIterable<Buffer>): Promise<void>
  commit(options?: HostOptions): Promise<Done>
  discard(): Promise<void>
}

/** `directory`: files below the data directory; `debian`: this machine, by an agent that is a service. */
export type HostKind = HostDriver['kind']

export interface HostStatus {
  /** `idle`: not started, because nothing needs it. */
  readonly status: 'idle' | 'running' | 'unreachable'
  /** Why it cannot be reached. */
  readonly reason?: string
}
