import type { Readable } from 'node:stream'
import type { ServedZones } from '../parts/dns/state.ts'
import type { HostArea, HostParts } from '../parts/index.ts'
import type { Primary } from '../parts/server/primary.ts'
import type { ServerState } from '../parts/server/state.ts'
import type { AccountCore, AccountName, Belongings, Revision, ServerConfig } from './account.ts'
import type { HostApps } from './apps.ts'
import type { HostBackups } from './backups.ts'
import type { Source } from './byte-source.ts'
import type { BegunRun, CommandEnd, CronCommand } from './commands.ts'
import type { Answered, ByteVerbs, FileEntry, FileInput, FileVerb } from './files.ts'
import type { FtpSession } from './ftp.ts'
import type { Inspection, ProbeResult } from './inspection.ts'
import type { HostLogs } from './logs.ts'
import type { HostPrograms } from './programs.ts'

export { isLeaving, leaving } from '../driver/detach.ts'
export type { ServedZones } from '../parts/dns/state.ts'
export type { HostArea, HostParts } from '../parts/index.ts'
export type { Primary } from '../parts/server/primary.ts'
export type { ServerState, TlsPair } from '../parts/server/state.ts'
export type { TlsChallenge } from '../parts/tls.ts'
export type { AccountCore, AccountName, Belongings, HostAccount, Revision, ServerConfig } from './account.ts'
export type * from './apps.ts'
export { deployShares } from './apps.ts'
export type * from './backups.ts'
export { savedParts } from './backups.ts'
export type { Source } from './byte-source.ts'
export type * from './commands.ts'
export { FileError, type FileErrorDetail, fileErrors, HostError, quotaUsedUp, trashCounts } from './error.ts'
export type * from './files.ts'
export { MAX_TRASH_ITEMS } from './files.ts'
export type { FtpSession } from './ftp.ts'
export type * from './inspection.ts'
export type * from './logs.ts'
export { trafficLogs } from './logs.ts'
export { type HostPrograms, linkLife, type ProgramName, type ProgramRequest } from './programs.ts'
export type * from './repository.ts'

/** An account's input to a driver: its desired state, read in one snapshot when the job runs. */
export type AccountState = AccountCore & { readonly parts: HostParts }

export interface HostState {
  readonly server: ServerConfig
  readonly accounts: readonly AccountState[]
}

/** The result of an apply for one area. `changed` counts files written or removed: a second apply changes none. */
export interface AreaResult {
  readonly area: HostArea
  readonly changed: number
}

/** What was skipped while the rest was applied. In a `home` only its owner can fix it. */
export interface HostWarning {
  /** `trash`: what is left of a gone object could not be moved. */
  readonly kind: 'home' | 'trash'
  readonly account: string
  /** The gone object. */
  readonly object?: string
  /** One sentence for users. */
  readonly message: string
}

export interface ApplyResult {
  readonly areas: readonly AreaResult[]
  readonly warnings: readonly HostWarning[]
}

interface ChangeOptions {
  /** Stored with the change, so that `recover` can report it. */
  readonly order?: Revision
}

export interface ServerResult {
  readonly changed: number
}

export interface RemoveOptions extends ChangeOptions {
  readonly belongings?: Belongings | undefined
}

export interface ApplyOptions extends ChangeOptions {
  /** All areas if absent. */
  readonly areas?: readonly HostArea[]
  readonly signal?: AbortSignal
  /** Called during the apply: one line for the job's log, and the fraction done, 0 to 1. */
  readonly progress?: (line: string, done: number) => void
}

export interface Doing {
  readonly signal?: AbortSignal
  readonly progress?: (line: string, done: number) => void
}

export interface UsageOptions {
  readonly signal?: AbortSignal
}

export interface AccountUsage {
  readonly id: string
  readonly diskMb: number
  readonly inodes: number
  /** The CPU time of all its processes since the first of them started, if measured. */
  readonly cpuMs?: number
  /** Its current memory use, if measured. */
  readonly memoryMb?: number
  /** Set if the count stopped before the home's end. */
  readonly atLeast?: true
  /** Sizes by name; absent if there is no server to ask. */
  readonly databases?: readonly { readonly name: string; readonly bytes: number }[] | undefined
  /** Recipients of its mail in the last 60 minutes; absent if nothing counts them. */
  readonly sentThisHour?: number | undefined
  /** The mailboxes with a directory in the home. */
  readonly mailboxes?: readonly MailboxUsage[]
}

export interface MailboxUsage {
  readonly domain: string
  readonly local: string
  readonly bytes: number
  readonly messages: number
}

/** Receives bytes that are not a file yet. */
export interface Sink<Done = object> {
  /** Consumes a whole stream; returns the number of bytes. */
  receive(stream: Readable): Promise<number>
  /** Puts the bytes to use; a discarded sink leaves nothing. */
  commit(): Promise<Done>
  discard(): Promise<void>
}

/** The files of an account's home. Methods throw a `FileError` for what the caller can fix. */
export interface HostFiles {
  act<Verb extends FileVerb>(verb: Verb, input: FileInput<Verb>, doing?: Doing): Promise<Answered<Verb>>
  read(input: ByteVerbs['read']['input']): Promise<Source>
  readLog(input: ByteVerbs['readLog']['input']): Promise<Source>
  write(input: ByteVerbs['write']['input']): Promise<Sink<FileEntry>>
  append(input: ByteVerbs['append']['input']): Promise<Sink<ByteVerbs['append']['commit']>>
}

/** The trash of a deleted account. */
export interface HostTrashItem {
  readonly id: string
  /** Its path. */
  readonly path: string
  /** In bytes; 0 if not requested. */
  readonly size: number
  readonly deletedAt: number
}

/** A file or directory on the host that differs from the panel's store. */
export interface Difference {
  readonly path: string
  /** `surplus`: to be removed; `mode`: the same content; `fault`: it cannot be compared. */
  readonly change: 'missing' | 'changed' | 'surplus' | 'mode' | 'moved' | 'fault'
  /** A unified diff, from the host to the store; absent if it could show a secret. */
  readonly diff?: string
  readonly note?: string
}

/** A difference in the DNS zones of an account on another host. */
export interface ServedDifference extends Difference {
  /** The account's id. */
  readonly id: string
}

/** How jobs change the host. Methods are idempotent: they make the host match the given state. */
export interface HostDriver {
  readonly kind: 'directory' | 'debian'
  /**
   * At start, before any apply: rolls back what a crash left half installed, and returns the ids of those accounts.
   * After a power loss it first calls `ordered` with the last order of each change that may be lost.
   */
  recover(ordered?: (id: string, order: Revision) => void): Promise<{ undone: string[] }>
  /**
   * Makes the files of these accounts match their state; other accounts are untouched. Each account is all or nothing,
   * and a failed one does not stop the others. Changes inside an existing home are separate; an error there is a
   * warning.
   */
  apply(state: HostState, options?: ApplyOptions): Promise<ApplyResult>
  /** Makes the server's own state match the store, all or nothing. Returns how many files it wrote or removed. */
  applyServer(state: ServerState): Promise<ServerResult>
  /** Serves DNS zones of accounts on other hosts, all or nothing: the zones given for an account are all it has. */
  serveZones(served: readonly ServedZones[]): Promise<ServerResult>
  /** How the host differs from the zones that it should serve for accounts on other hosts. Read-only. */
  diffZones(served: readonly ServedZones[]): Promise<ServedDifference[]>
  /** Makes the name server replicate all zones of a primary; of none without one. */
  followPrimary(primary?: Primary): Promise<ServerResult>
  /** Removes an account from the host with its belongings, and moves its home to the trash. */
  remove(account: AccountName, options?: RemoveOptions): Promise<void>
  /** Ends everything that runs with the account's user id, the work in its home too. Absent if there are no such users. */
  endWork?(account: AccountName): Promise<void>
  /** How the host differs from an account's state, or, without one, from the server's own. Read-only. */
  diff(server: ServerConfig, account?: AccountState, state?: ServerState): Promise<Difference[]>
  /** Inspects the machine; null if the host is a directory. */
  inspect(): Promise<Inspection | null>
  /** Queries the machine's services for what they should answer about an account. */
  verify(state: { server: ServerConfig; account: AccountState }, options?: Doing): Promise<readonly ProbeResult[]>
  /** Measures usage; an account that is not on the host has none. */
  usage(accounts: readonly AccountName[], options?: UsageOptions): Promise<AccountUsage[]>
  files(account: AccountName): HostFiles
  readonly backups: HostBackups
  readonly apps: HostApps
  /** Programs that links open; absent if the host has none. */
  readonly programs?: HostPrograms
  /** The open FTP sessions of all accounts; absent if the host has no FTP server. */
  ftpSessions?(): Promise<readonly FtpSession[]>
  /** Unverified domains with an address for which mail was refused since the last call. */
  refusedDomains?(): Promise<readonly string[]>
  /** The trash, the oldest first; with sizes if requested. */
  trash(measured: boolean, options?: UsageOptions): Promise<HostTrashItem[]>
  /** Permanently removes, at low priority, what was trashed before a given time. */
  emptyTrash(before: number, doing?: Doing): Promise<{ removed: number }>
  readonly logs: HostLogs
  /**
   * Runs a command of an account's cron as its tenant, in its home. Not idempotent: each call runs it. A suspended
   * account's commands are ended before its apply ends, a removed one's before its files are removed.
   */
  runCron(command: CronCommand, options?: UsageOptions): Promise<CommandEnd>
  /** The result of a command begun earlier; undefined if it is unknown. Absent if commands do not outlive the agent. */
  awaitCron?(begun: BegunRun, options?: UsageOptions): Promise<CommandEnd | undefined>
  /** Ends all tenants' programs at once, because this process is about to exit. */
  close(): void
}
