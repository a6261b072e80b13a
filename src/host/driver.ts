import type { Readable } from 'node:stream'
import type { AccountCore, AccountName, Belongings, Order, ServerConfig } from './account.ts'
import type { HostApps } from './apps.ts'
import type { HostBackups } from './backups.ts'
import type { BegunRun, CommandEnd, CronCommand } from './commands.ts'
import type { Answered, ByteVerbs, FileEntry, FileVerb, Told } from './files.ts'
import type { FtpSession } from './ftp.ts'
import type { Inspection, ProbeResult } from './inspection.ts'
import type { HostLogs } from './logs.ts'
import type { ServedZones } from './parts/dns/state.ts'
import type { HostArea, HostParts } from './parts/index.ts'
import type { Primary } from './parts/server/primary.ts'
import type { ServerState } from './parts/server/state.ts'
import type { HostPrograms } from './programs.ts'
import type { Source } from './source.ts'

export type { AccountCore, AccountName, Belongings, HeldAccount, Order, ServerConfig } from './account.ts'
export type * from './apps.ts'
export { deployShares } from './apps.ts'
export type * from './backups.ts'
export { savedParts } from './backups.ts'
export type * from './commands.ts'
export { type FaultTold, FileFault, fileFaults, HostError, quotaUsedUp } from './error.ts'
export type * from './files.ts'
export { archiveFormats } from './files.ts'
export type { FtpSession } from './ftp.ts'
export type * from './inspection.ts'
export { isLeaving, leaving } from './leaving.ts'
export type * from './logs.ts'
export { trafficLogs } from './logs.ts'
export type { ServedZones } from './parts/dns/state.ts'
export type { HostArea, HostParts } from './parts/index.ts'
export type { Primary } from './parts/server/primary.ts'
export type { ServerState, TlsPair } from './parts/server/state.ts'
export type { TlsChallenge } from './parts/tls.ts'
export { type HostPrograms, linkLife, type ProgramName, type ProgramOrder } from './programs.ts'
export type * from './repository.ts'
export type { Source } from './source.ts'

/** All a driver is told of an account: its desired state, read in one snapshot when the job runs. */
export type AccountState = AccountCore & { readonly parts: HostParts }

export interface HostState {
  readonly server: ServerConfig
  readonly accounts: readonly AccountState[]
}

/** What an apply did to one area. `changed` counts files written or removed: a second apply changes none. */
export interface AreaResult {
  readonly area: HostArea
  readonly changed: number
}

/** What was left undone while the rest was applied. In a `home` only its owner can put it right. */
export interface HostWarning {
  readonly kind: 'home'
  readonly account: string
  /** One sentence for people. */
  readonly message: string
}

/** What an apply did. */
export interface ApplyResult {
  readonly areas: readonly AreaResult[]
  readonly warnings: readonly HostWarning[]
}

interface ChangeOptions {
  /** Kept with the change, for `recover` to tell of. */
  readonly order?: Order
}

export interface ServerResult {
  readonly changed: number
}

export interface RemoveOptions extends ChangeOptions {
  readonly belongings?: Belongings | undefined
}

export interface ApplyOptions extends ChangeOptions {
  /** All of them if not given. */
  readonly areas?: readonly HostArea[]
  readonly signal?: AbortSignal
  /** Told as the apply goes on: one line for the job's log, and the share that is done, 0 to 1. */
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
  /** CPU time of all that it has run since something of it began to run, where that is measured. */
  readonly cpuMs?: number
  /** What it has in memory now, where that is measured. */
  readonly memoryMb?: number
  /** The home holds more than was counted. */
  readonly atLeast?: true
  /** Sizes by name; absent where there is no server that could be asked. */
  readonly databases?: readonly { readonly name: string; readonly bytes: number }[] | undefined
  /** Recipients of its mail in the last 60 minutes; absent where nothing counts them. */
  readonly sentThisHour?: number | undefined
  /** What has a directory for mail in the home. */
  readonly mailboxes?: readonly MailboxUsage[]
}

export interface MailboxUsage {
  readonly domain: string
  readonly local: string
  readonly bytes: number
  readonly messages: number
}

/** Bytes that are not a file yet. */
export interface Sink<Done = object> {
  /** Takes all bytes of a stream; answers how many have come. */
  receive(stream: Readable): Promise<number>
  /** Makes them what they are meant for; a discarded sink leaves nothing. */
  commit(): Promise<Done>
  discard(): Promise<void>
}

/** The files of an account's home. Each throws a `FileFault` for what the caller can put right. */
export interface HostFiles {
  act<Verb extends FileVerb>(verb: Verb, told: Told<Verb>, doing?: Doing): Promise<Answered<Verb>>
  read(told: ByteVerbs['read']['told']): Promise<Source>
  readLog(told: ByteVerbs['readLog']['told']): Promise<Source>
  write(told: ByteVerbs['write']['told']): Promise<Sink<FileEntry>>
  append(told: ByteVerbs['append']['told']): Promise<Sink<ByteVerbs['append']['commit']>>
}

/** What was moved aside when an account or a mailbox was deleted. */
export interface HostTrashItem {
  readonly id: string
  /** Where it lies. */
  readonly path: string
  /** In bytes; 0 where that was not asked. */
  readonly size: number
  readonly deletedAt: number
}

/** One file or directory of the host that is not as the panel's store has it. */
export interface Difference {
  readonly path: string
  /** `surplus`: to be taken away; `mode`: the same content; `fault`: it cannot be compared. */
  readonly change: 'missing' | 'changed' | 'surplus' | 'mode' | 'moved' | 'fault'
  /** A unified diff, from the host to the store; without one where it may show a secret. */
  readonly diff?: string
  readonly note?: string
}

/** A difference in what is answered for an account of another host. */
export interface ServedDifference extends Difference {
  /** The account's. */
  readonly id: string
}

/** How jobs change the host. Every verb is safe to repeat: it makes the host match what it is told. */
export interface HostDriver {
  readonly kind: 'directory' | 'debian'
  /**
   * At start, before any apply: undoes what a crash left half installed, and names the accounts by id. After a loss of
   * power `ordered` is told first of the last order of each change that may be lost.
   */
  recover(ordered?: (id: string, order: Order) => void): Promise<{ undone: string[] }>
  /**
   * Makes the files of these accounts match their state; other accounts are not touched. Each account
   * is changed whole or not at all, and one that fails does not keep the others from being done.
   * What lies in a home that is already there is a change of its own; a fault there is a warning.
   */
  apply(state: HostState, options?: ApplyOptions): Promise<ApplyResult>
  /** Makes what no account owns match the store, whole or not at all. Answers how many files it wrote or removed. */
  applyServer(state: ServerState): Promise<ServerResult>
  /** Answers for zones of accounts of other hosts, all of them or none: those that are told of an account are all it has. */
  serveZones(served: readonly ServedZones[]): Promise<ServerResult>
  /** How the host differs from what it should answer for accounts of other hosts. Changes nothing. */
  diffZones(served: readonly ServedZones[]): Promise<ServedDifference[]>
  /** Has the name server take all zones of a primary; of none without one. */
  followPrimary(primary?: Primary): Promise<ServerResult>
  /** Takes an account off the host with what belongs to it, its home to the trash. */
  remove(account: AccountName, options?: RemoveOptions): Promise<void>
  /** How the host differs from an account's state, or, without one, from what no account owns. Changes nothing. */
  diff(server: ServerConfig, account?: AccountState, state?: ServerState): Promise<Difference[]>
  /** What the machine is like; nothing if the host is a directory. */
  inspect(): Promise<Inspection | null>
  /** Asks the services of the machine for what they should answer of an account. */
  verify(state: { server: ServerConfig; account: AccountState }, options?: Doing): Promise<readonly ProbeResult[]>
  /** Measures; an account that is not on the host measures zero. */
  usage(accounts: readonly AccountName[], options?: UsageOptions): Promise<AccountUsage[]>
  files(account: AccountName): HostFiles
  readonly backups: HostBackups
  readonly apps: HostApps
  /** Programs that are opened by links; absent where the host has none. */
  readonly programs?: HostPrograms
  /** Sessions of FTP that are open, of all accounts; absent where the host has no server for it. */
  ftpSessions?(): Promise<readonly FtpSession[]>
  /** What is in the trash, with its sizes where they are asked for; the oldest first. */
  trash(measured: boolean, options?: UsageOptions): Promise<HostTrashItem[]>
  /** Removes for good, and without haste, what was deleted before a moment. */
  emptyTrash(before: number, doing?: Doing): Promise<{ removed: number }>
  readonly logs: HostLogs
  /**
   * Runs a command of an account's cron as its tenant, in its home. Not safe to repeat: it is run each time. A suspended
   * account's commands are ended before its apply ends, a removed one's before its files go.
   */
  runCron(command: CronCommand, options?: UsageOptions): Promise<CommandEnd>
  /** How a command ends that was begun before; nothing of one that is not known. Absent where none outlives its agent. */
  awaitCron?(begun: BegunRun, options?: UsageOptions): Promise<CommandEnd | undefined>
  /** Ends all that tenants run here, at once, for a process that is about to end. */
  close(): void
}
