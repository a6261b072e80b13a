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
  BackupPlace,
  BackupRequest,
  BackupTexts,
  BegunRun,
  Belongings,
  ByteVerbs,
  CommandEnd,
  CronCommand,
  DatabasesRestore,
  Deployed,
  DeployRequest,
  Destination,
  Difference,
  FileEntry,
  FileInput,
  FileVerb,
  FtpSession,
  HostAccount,
  HostArea,
  HostDriver,
  HostTrashItem,
  Inspection,
  PartRestore,
  Primary,
  ProbeResult,
  ProgramRequest,
  RestoreFindings,
  Revision,
  RotateRequest,
  SavedBackup,
  ServedDifference,
  ServedZones,
  ServerConfig,
  ServerResult,
  ServerState,
  Traffic,
  TrafficRequest,
  Visits,
  VisitsRequest,
} from './driver.ts'

export type { FtpSession, HostAccount, Inspection, Revision } from './driver.ts'

/** An account's desired state, and its order. */
export interface Desired {
  readonly order: Revision
  readonly server: ServerConfig
  readonly account: AccountState
  /** All areas if absent. */
  readonly areas?: readonly HostArea[] | undefined
}

/** What to compare the host with: an account, or, without one, the server's own state. */
export interface Compared {
  readonly server: ServerConfig
  readonly account?: AccountState | undefined
  readonly state?: ServerState | undefined
}

export interface HostOptions {
  readonly signal?: AbortSignal | undefined
  /** Called during the work: one line for the job's log, and the fraction done, 0 to 1. */
  readonly progress?: (line: string, done: number) => void
  /** Called with the reason when the work waits, and when it goes on. */
  readonly waits?: (line: string) => void
}

/** Nothing was done: the host had already received a newer state of the account. */
export const superseded = Symbol('superseded')
export type Superseded = typeof superseded

export interface RemovalOptions extends HostOptions {
  readonly belongings?: Belongings
}

/**
 * The host as the panel reaches it: through its agent, which may be unreachable. Methods are idempotent unless
 * documented otherwise.
 */
export interface HostClient {
  /** Makes the host match the account's state, all or nothing. */
  apply(desired: Desired, options?: HostOptions): Promise<ApplyResult | Superseded>
  /** Removes an account from the host with its belongings, and moves its home to the trash. */
  remove(account: AccountName, order: Revision, options?: RemovalOptions): Promise<null | Superseded>
  /** How the host differs from an account's state, or, without one, from the server's own. Read-only. */
  diff(request: Compared, options?: HostOptions): Promise<readonly Difference[]>
  /** Makes the server's own state match the store, all or nothing. */
  applyServer(state: ServerState, options?: HostOptions): Promise<ServerResult>
  /** Serves DNS zones of accounts on other hosts, all or nothing: the zones given for an account are all it has. */
  serveZones(served: readonly ServedZones[], options?: HostOptions): Promise<ServerResult>
  /** How the host differs from the zones that it should serve for accounts on other hosts. Read-only. */
  diffZones(served: readonly ServedZones[], options?: HostOptions): Promise<readonly ServedDifference[]>
  /** Makes the name server replicate all zones of a primary; of none without one. */
  followPrimary(primary?: Primary, options?: HostOptions): Promise<ServerResult>
  /** Free space on the disk of the homes, in megabytes; undefined if the system does not say. */
  room(options?: HostOptions): Promise<number | undefined>
  /** Inspects the machine; null if the host is a directory. */
  inspect(options?: HostOptions): Promise<Inspection | null>
  /** Queries the machine's services for what they should answer about an account. */
  verify(server: ServerConfig, account: AccountState, options?: HostOptions): Promise<readonly ProbeResult[]>
  /** Measures usage; an account that is not on the host has none. */
  usage(accounts: readonly AccountName[], options?: HostOptions): Promise<readonly AccountUsage[]>
  /** All accounts on the host, by id alone; or those with these ids, with their names. */
  listAccounts(ids?: readonly string[], options?: HostOptions): Promise<readonly HostAccount[]>
  /** The files of an account's home. Failed operations are not retried: they may have been done. */
  files(account: AccountName): FilesFromAfar
  /** Makes a backup from scratch, all or nothing. */
  backUp(order: BackupRequest, options?: HostOptions): Promise<SavedBackup>
  /** Verifies a backup against its manifest. */
  checkBackup(check: BackupCheck, options?: HostOptions): Promise<BackupFindings>
  removeBackup(place: BackupPlace, options?: HostOptions): Promise<null>
  /**
   * Runs a command of an account's cron; never twice. Undefined: the agent was lost, and may know the result when it is
   * back. Aborting with the reason `leaving` leaves the command running where possible.
   */
  runCron(command: CronCommand, options?: HostOptions): Promise<CommandEnd | undefined>
  /** The result of a command begun earlier. Undefined: it is unknown, and no longer runs. */
  awaitCron(begun: BegunRun, options?: HostOptions): Promise<CommandEnd | undefined>
  /**
   * Keeps the agent running, and restarts it if it is lost, even without requests, as long as any named reason is on.
   */
  stay(reason: string, on: boolean): void
  /** Builds a release and starts it beside the current one, until it is healthy. Applying the apps switches to it. */
  deployApp(order: DeployRequest, options?: HostOptions): Promise<Deployed>
  /** Waits until an app is as applied, and removes releases that are not kept. */
  settleApp(settling: AppSettling, options?: HostOptions): Promise<AppStatus>
  /** Restarts an app without losing a request. */
  restartApp(app: AppName, options?: HostOptions): Promise<AppStatus>
  /** The apps' status: at once, or with `after`, when it differs from that answer. */
  appStatus(after?: string, options?: HostOptions): Promise<AppStatuses>
  /** The panel's own files in a backup. */
  readBackup(check: BackupCheck, options?: HostOptions): Promise<BackupTexts>
  /** Refuses a directory that cannot hold backups, or, without one, a host without restic. */
  validatePlace(destination: Pick<Destination, 'path'>, options?: HostOptions): Promise<null>
  /** Whether backups can be stored there; creates a missing repository. */
  testPlace(destination: Destination, options?: HostOptions): Promise<null>
  /** A backup's stored bytes. */
  openBackup(request: BackupDownload, options?: HostOptions): Promise<FileBytes<BackupBytes>>
  /** Restores a part of a backup into a home, all or nothing. */
  restorePart(request: PartRestore, options?: HostOptions): Promise<null>
  /** Recreates databases from a backup, each all or nothing. */
  restoreDatabases(request: DatabasesRestore, options?: HostOptions): Promise<RestoreFindings>
  /** The trash of deleted accounts and mailboxes, the oldest first; `measured`: with sizes. */
  trash(measured: boolean, options?: HostOptions): Promise<readonly HostTrashItem[]>
  /** Permanently removes what was trashed before a given time. */
  emptyTrash(before: number, options?: HostOptions): Promise<{ readonly removed: number }>
  /** The traffic in a server-wide log, from a position on. */
  traffic(order: TrafficRequest, options?: HostOptions): Promise<Traffic>
  /** The visits in the sites' access logs, each from its position on. */
  visits(order: VisitsRequest, options?: HostOptions): Promise<readonly Visits[]>
  /** Starts new logs, compresses those of earlier days except the last, and removes the oldest. */
  rotateLogs(order: RotateRequest, options?: HostOptions): Promise<null>
  /** Lets the bearer of the token into one of the host's programs, once and within a minute. */
  openProgram(order: ProgramRequest, options?: HostOptions): Promise<{ readonly token: string }>
  /** The open FTP sessions of all accounts. */
  ftpSessions(options?: HostOptions): Promise<readonly FtpSession[]>
  /** Unverified domains with an address for which mail was refused since the last call. */
  refusedDomains(options?: HostOptions): Promise<readonly string[]>
  readonly status: HostStatus
  readonly kind: HostKind
}

export interface FilesFromAfar {
  act<Verb extends FileVerb>(verb: Verb, input: FileInput<Verb>, options?: HostOptions): Promise<Answered<Verb>>
  read(input: ByteVerbs['read']['input'], options?: HostOptions): Promise<FileBytes>
  readLog(input: ByteVerbs['readLog']['input'], options?: HostOptions): Promise<FileBytes>
  write(input: ByteVerbs['write']['input'], options?: HostOptions): Promise<Outbox<FileEntry>>
  append(input: ByteVerbs['append']['input'], options?: HostOptions): Promise<Outbox<ByteVerbs['append']['commit']>>
}

/** Bytes from the host, and their description. */
export interface FileBytes<Answer = ByteVerbs['read']['answer']> {
  readonly answer: Answer
  readonly stream: Readable
}

/** Bytes to the host. */
export interface Outbox<Done> {
  /** Sends a whole stream; throws if the host refuses it. */
  send(bytes: AsyncIterable<Buffer>): Promise<void>
  commit(options?: HostOptions): Promise<Done>
  discard(): Promise<void>
}

/** `directory`: files below the data directory; `debian`: this machine, through an agent that is a service. */
export type HostKind = HostDriver['kind']

export interface HostStatus {
  /** `idle`: not started, because nothing needs it. */
  readonly status: 'idle' | 'running' | 'unreachable'
  /** Why it is unreachable. */
  readonly reason?: string
}
