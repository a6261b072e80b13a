import type { Order } from '../../client.ts'
import type {
  AccountName,
  AccountState,
  AccountUsage,
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
  ByteVerb,
  CommandEnd,
  CronCommand,
  DatabasesRestore,
  Deployed,
  DeployOrder,
  Destination,
  Difference,
  FaultTold,
  FileVerb,
  FtpSession,
  HeldAccount,
  HostArea,
  HostError,
  HostTrashItem,
  Inspection,
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
  Traffic,
  TrafficOrder,
  Visits,
  VisitsOrder,
} from '../../driver.ts'

/**
 * What goes over a connection, each in a frame of its own. Both sides begin with a hello; then the panel sends commands,
 * many at a time, and the agent answers each in its own time.
 *
 * Bulk (backups, files, logs) never shares this connection: a command waited 57 ms behind a stream. The answer to a
 * command that needs bulk carries `ticket`, valid once and for a minute, and the panel opens a second connection whose
 * hello carries the same `ticket`; after the hellos that connection holds the raw bytes and nothing else. Bytes that were
 * sent become what they are meant for with the command `commit`, and leave nothing with `discard`.
 */
export type ToAgent = Hello | Command | Cancel | Ping
export type ToPanel = Hello | Refusal | Progress | Answer | Pong

/** What a side says of itself. A reader passes over fields it does not know. */
export interface Hello {
  readonly type: 'hello'
  /** The versions of the protocol that it speaks. */
  readonly protocol: Versions
  /** The version of its program. */
  readonly build: string
  /** Another for each start of its process. */
  readonly boot: string
  /** What an agent can be asked for: its kind of driver, commands, parts of a state. */
  readonly capabilities: readonly string[]
  /** Of an agent: the accounts whose half-done change it undid when it started. */
  readonly undone: readonly string[]
  /** Of a panel that opens a connection for bulk. */
  readonly ticket?: string
  /** Of a panel: which life of its store it serves. */
  readonly reign?: Reign | undefined
}

/** Of two servers of one store, hosts obey the one with the higher epoch, and of one epoch that of the higher life. */
export interface Reign {
  /** The id that all lives of a store share. */
  readonly server: string
  readonly epoch: number
  /** Of this life alone: two machines may take over in one millisecond. */
  readonly life?: string
  /** Made with the server's own key: a host cannot claim an epoch that no server had. */
  readonly proof: string
}

export interface Versions {
  readonly min: number
  readonly max: number
}

/** Why there will be no answers on this connection, in one sentence; the connection ends. */
export interface Refusal {
  readonly type: 'refused'
  readonly reason: string
  /** Of the server that the host obeys instead. */
  readonly reign?: Reign
}

/** What each command is told. */
export interface Inputs {
  readonly apply: {
    readonly order: Order
    readonly server: ServerConfig
    readonly account: AccountState
    /** All of them if absent. */
    readonly areas?: readonly HostArea[] | undefined
  }
  readonly remove: {
    readonly order: Order
    readonly account: AccountName
    readonly belongings?: Belongings | undefined
  }
  /** What no account owns. */
  readonly applyServer: ServerState
  readonly serveZones: { readonly served: readonly ServedZones[] }
  readonly diffZones: { readonly served: readonly ServedZones[] }
  /** Without a primary: of none any more. */
  readonly followPrimary: { readonly primary?: Primary | undefined }
  readonly room: object
  /** Without an account: what no account owns. */
  readonly diff: {
    readonly server: ServerConfig
    readonly account?: AccountState | undefined
    readonly state?: ServerState | undefined
  }
  readonly inspect: object
  readonly verify: { readonly server: ServerConfig; readonly account: AccountState }
  readonly usage: { readonly accounts: readonly AccountName[] }
  /** All accounts that the host holds, by id alone; or those of these ids, with their names. */
  readonly held: { readonly ids?: readonly string[] | undefined }
  /** One verb on the files of an account, with what it is told. */
  readonly files: { readonly account: AccountName; readonly verb: FileVerb | ByteVerb; readonly told: object }
  readonly commit: { readonly ticket: string; readonly bytes: number }
  readonly discard: { readonly ticket: string }
  readonly backup: BackupOrder
  readonly checkBackup: BackupCheck
  readonly removeBackup: { readonly place: BackupPlace }
  readonly runCron: CronCommand
  readonly awaitCron: BegunRun
  readonly hostTrash: { readonly measured: boolean }
  readonly emptyHostTrash: { readonly before: number }
  readonly readBackup: BackupCheck
  readonly openBackup: BackupDownload
  readonly judgePlace: Pick<Destination, 'path'>
  readonly testPlace: Destination
  readonly restorePart: PartRestore
  readonly restoreDatabases: DatabasesRestore
  readonly deployApp: DeployOrder
  readonly settleApp: AppSettling
  readonly restartApp: AppName
  /** With `after`: when something has changed since that answer. */
  readonly appStatus: { readonly after?: string | undefined }
  readonly traffic: TrafficOrder
  readonly visits: VisitsOrder
  readonly rotateLogs: RotateOrder
  readonly openProgram: ProgramOrder
  readonly ftpSessions: object
}
export type CommandName = keyof Inputs

/** What each command answers when it is done. */
export interface Results {
  readonly apply: ApplyResult
  readonly remove: null
  readonly applyServer: ServerResult
  readonly serveZones: ServerResult
  readonly diffZones: readonly ServedDifference[]
  readonly followPrimary: ServerResult
  readonly room: { readonly diskFreeMb?: number | undefined }
  readonly diff: readonly Difference[]
  readonly inspect: Inspection | null
  readonly verify: readonly ProbeResult[]
  readonly usage: readonly AccountUsage[]
  readonly held: readonly HeldAccount[]
  /** What the verb answers, and the ticket for its bytes where it has any. */
  readonly files: (object & { readonly ticket?: string }) | null
  readonly commit: object
  readonly discard: null
  readonly backup: SavedBackup
  readonly checkBackup: BackupFindings
  readonly removeBackup: null
  readonly runCron: CommandEnd
  /** Nothing of a run that is not known. */
  readonly awaitCron: { readonly end: CommandEnd | null }
  readonly hostTrash: { readonly items: readonly HostTrashItem[] }
  readonly emptyHostTrash: { readonly removed: number }
  readonly readBackup: BackupTexts
  /** What the bytes are of, and the ticket for them. */
  readonly openBackup: BackupBytes & { readonly ticket: string }
  readonly restorePart: null
  readonly restoreDatabases: RestoreFindings
  readonly deployApp: Deployed
  readonly settleApp: AppStatus
  readonly restartApp: AppStatus
  readonly appStatus: AppStatuses
  readonly judgePlace: null
  readonly testPlace: null
  readonly traffic: Traffic
  readonly visits: readonly Visits[]
  readonly rotateLogs: null
  readonly openProgram: { readonly token: string }
  readonly ftpSessions: { readonly items: readonly FtpSession[] }
}

export interface Command<Name extends CommandName = CommandName> {
  readonly type: 'command'
  /** Given by the panel; what is said of the command carries it. */
  readonly id: number
  /** The machine it is meant for: an agent refuses what another should do. */
  readonly node: string
  readonly command: Name
  readonly input: Inputs[Name]
}

/** Asks a command under way to stop; it is answered all the same. */
export interface Cancel {
  readonly type: 'cancel'
  readonly id: number
}

/** Asks whether the agent lives; only one whose hello names `ping` among its capabilities answers. */
export interface Ping {
  readonly type: 'ping'
}

export interface Pong {
  readonly type: 'pong'
}

export interface Progress {
  readonly type: 'progress'
  readonly id: number
  readonly line: string
  /** The share that is done, 0 to 1. */
  readonly done: number
}

export type Answer<Name extends CommandName = CommandName> = {
  readonly type: 'answer'
  readonly id: number
} & Outcome<Name>

/** How a command ended. Unless it is done, nothing was changed. */
export type Outcome<Name extends CommandName = CommandName> =
  | { readonly status: 'done'; readonly result: Results[Name] }
  /** A newer state of this account came before. */
  | { readonly status: 'superseded' }
  | { readonly status: 'cancelled' }
  /** A command, a part or a field that this agent does not know. */
  | { readonly status: 'unsupported'; readonly message: string }
  /** With a stage the message is a sentence for people; without one it is for the log. */
  | {
      readonly status: 'failed'
      readonly stage?: HostError['stage'] | undefined
      readonly message: string
      /** What is wrong with a request about files, and in which of its fields. */
      readonly fault?: FaultTold
    }
