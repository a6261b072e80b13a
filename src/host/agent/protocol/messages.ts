import type { Revision } from '../../contract/client.ts'
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
  BackupPlace,
  BackupRequest,
  BackupTexts,
  BegunRun,
  Belongings,
  ByteVerb,
  CommandEnd,
  CronCommand,
  DatabasesRestore,
  Deployed,
  DeployRequest,
  Destination,
  Difference,
  FileErrorDetail,
  FileVerb,
  FtpSession,
  HostAccount,
  HostArea,
  HostError,
  HostTrashItem,
  Inspection,
  PartRestore,
  Primary,
  ProbeResult,
  ProgramRequest,
  RestoreFindings,
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
} from '../../contract/driver.ts'

/**
 * The messages on a connection, one per frame. Both sides begin with a hello; then the panel sends commands, many at a
 * time, and the agent answers each when it is done.
 *
 * Bulk (backups, files, logs) never shares this connection: a command waited 57 ms behind a stream. The answer to a
 * command that needs bulk carries `ticket`, valid once and for a minute, and the panel opens a second connection whose
 * hello carries the same `ticket`; after the hellos that connection carries only the raw bytes. Sent bytes take effect
 * with the command `commit`, and are dropped with `discard`.
 */
export type ToAgent = Hello | Command | Cancel | Ping
export type ToPanel = Hello | Refusal | Progress | Answer | Pong

/** How a side introduces itself. Readers ignore unknown fields. */
export interface Hello {
  readonly type: 'hello'
  /** The protocol versions that it speaks. */
  readonly protocol: Versions
  /** Its program's version. */
  readonly build: string
  /** Unique to each start of its process. */
  readonly boot: string
  /** What an agent supports: its kind of driver, commands, parts of a state. */
  readonly capabilities: readonly string[]
  /** From an agent: the accounts whose half-done change it rolled back when it started. */
  readonly undone: readonly string[]
  /** From a panel that opens a connection for bulk. */
  readonly ticket?: string
  /** From a panel: the life of the store that it serves. */
  readonly leadership?: Leadership | undefined
}

/**
 * Of two servers with one store, hosts obey the one with the higher epoch, and within an epoch the one with the higher
 * life.
 */
export interface Leadership {
  /** The id shared by all lives of a store. */
  readonly server: string
  readonly epoch: number
  /** Unique to this life: two machines may take over in the same millisecond. */
  readonly life?: string
  /** Made with the server's own key: a host cannot claim an epoch that no server had. */
  readonly proof: string
}

export interface Versions {
  readonly min: number
  readonly max: number
}

/** Why this connection will not be served, in one sentence; the connection ends. */
export interface Refusal {
  readonly type: 'refused'
  readonly reason: string
  /** The leadership of the server that the host obeys instead. */
  readonly leadership?: Leadership
}

/** The input of each command. */
export interface Inputs {
  readonly apply: {
    readonly order: Revision
    readonly server: ServerConfig
    readonly account: AccountState
    /** All areas if absent. */
    readonly areas?: readonly HostArea[] | undefined
  }
  readonly remove: {
    readonly order: Revision
    readonly account: AccountName
    readonly belongings?: Belongings | undefined
  }
  /** The state that belongs to no account. */
  readonly applyServer: ServerState
  readonly serveZones: { readonly served: readonly ServedZones[] }
  readonly diffZones: { readonly served: readonly ServedZones[] }
  /** Without a primary: follow none any more. */
  readonly followPrimary: { readonly primary?: Primary | undefined }
  readonly room: object
  /** Without an account: the server's own state. */
  readonly diff: {
    readonly server: ServerConfig
    readonly account?: AccountState | undefined
    readonly state?: ServerState | undefined
  }
  readonly inspect: object
  readonly verify: { readonly server: ServerConfig; readonly account: AccountState }
  readonly usage: { readonly accounts: readonly AccountName[] }
  /** All accounts on the host, by id alone; or those with these ids, with their names. */
  readonly listAccounts: { readonly ids?: readonly string[] | undefined }
  /** One verb on an account's files, with its arguments. */
  readonly files: { readonly account: AccountName; readonly verb: FileVerb | ByteVerb; readonly input: object }
  readonly commit: { readonly ticket: string; readonly bytes: number }
  readonly discard: { readonly ticket: string }
  readonly backup: BackupRequest
  readonly checkBackup: BackupCheck
  readonly removeBackup: { readonly place: BackupPlace }
  readonly runCron: CronCommand
  readonly awaitCron: BegunRun
  readonly hostTrash: { readonly measured: boolean }
  readonly emptyHostTrash: { readonly before: number }
  readonly readBackup: BackupCheck
  readonly openBackup: BackupDownload
  readonly validatePlace: Pick<Destination, 'path'>
  readonly testPlace: Destination
  readonly restorePart: PartRestore
  readonly restoreDatabases: DatabasesRestore
  readonly deployApp: DeployRequest
  readonly settleApp: AppSettling
  readonly restartApp: AppName
  /** With `after`: waits until something has changed since that answer. */
  readonly appStatus: { readonly after?: string | undefined }
  readonly traffic: TrafficRequest
  readonly visits: VisitsRequest
  readonly rotateLogs: RotateRequest
  readonly openProgram: ProgramRequest
  readonly ftpSessions: object
  readonly refusedDomains: object
}
export type CommandName = keyof Inputs

/** The result of each command. */
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
  readonly listAccounts: readonly HostAccount[]
  /** The verb's result, and the ticket for its bytes if it has any. */
  readonly files: (object & { readonly ticket?: string }) | null
  readonly commit: object
  readonly discard: null
  readonly backup: SavedBackup
  readonly checkBackup: BackupFindings
  readonly removeBackup: null
  readonly runCron: CommandEnd
  /** Null if the run is unknown. */
  readonly awaitCron: { readonly end: CommandEnd | null }
  readonly hostTrash: { readonly items: readonly HostTrashItem[] }
  readonly emptyHostTrash: { readonly removed: number }
  readonly readBackup: BackupTexts
  /** A description of the bytes, and their ticket. */
  readonly openBackup: BackupBytes & { readonly ticket: string }
  readonly restorePart: null
  readonly restoreDatabases: RestoreFindings
  readonly deployApp: Deployed
  readonly settleApp: AppStatus
  readonly restartApp: AppStatus
  readonly appStatus: AppStatuses
  readonly validatePlace: null
  readonly testPlace: null
  readonly traffic: Traffic
  readonly visits: readonly Visits[]
  readonly rotateLogs: null
  readonly openProgram: { readonly token: string }
  readonly ftpSessions: { readonly items: readonly FtpSession[] }
  readonly refusedDomains: { readonly items: readonly string[] }
}

export interface Command<Name extends CommandName = CommandName> {
  readonly type: 'command'
  /** Assigned by the panel; messages about the command carry it. */
  readonly id: number
  /** The target machine: an agent refuses commands for another. */
  readonly node: string
  readonly command: Name
  readonly input: Inputs[Name]
}

/** Asks a command in flight to stop; it is answered all the same. */
export interface Cancel {
  readonly type: 'cancel'
  readonly id: number
}

/** Asks whether the agent is alive; only agents with the capability `ping` answer. */
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
  /** The fraction done, 0 to 1. */
  readonly done: number
}

export type Answer<Name extends CommandName = CommandName> = {
  readonly type: 'answer'
  readonly id: number
} & CommandOutcome<Name>

/** How a command ended. Unless its status is done, nothing was changed. */
export type CommandOutcome<Name extends CommandName = CommandName> =
  | { readonly status: 'done'; readonly result: Results[Name] }
  /** A newer state of this account arrived first. */
  | { readonly status: 'superseded' }
  | { readonly status: 'cancelled' }
  /** This agent does not know the command, or a part or field of it. */
  | { readonly status: 'unsupported'; readonly message: string }
  /** With a stage the message is for users; without one it is for the log. */
  | {
      readonly status: 'failed'
      readonly stage?: HostError['stage'] | undefined
      readonly message: string
      /** What is wrong with a file request, and in which field. */
      readonly fileError?: FileErrorDetail
    }
