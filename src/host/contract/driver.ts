import type { Readable } from 'node:stream'
import type { HostArea } from '../parts/index.ts'
import type { AccountName, Belongings, Revision, ServerConfig } from './account.ts'
import type { AccountState } from './account-state.ts'
import type { Source } from './byte-source.ts'
import type { Answered, ByteVerbs, FileEntry, FileInput, FileVerb } from './commands/files.ts'
import type { Doing, driverCommands, Implemented, partCommands } from './commands/index.ts'
import type { ApplyResult } from './commands/state.ts'
import { programNames } from './programs.ts'

export { isLeaving, leaving } from '../driver/detach.ts'
export type { ServedZones } from '../parts/dns/state.ts'
export type { HostArea, HostParts } from '../parts/index.ts'
export type { Primary } from '../parts/server/primary.ts'
export type { ServerState, TlsPair } from '../parts/server/state.ts'
export type { TlsChallenge } from '../parts/tls.ts'
export type { AccountCore, AccountName, Belongings, Revision, ServerConfig } from './account.ts'
export type { AccountState } from './account-state.ts'
export type * from './apps.ts'
export { deployShares } from './apps.ts'
export type * from './backups.ts'
export { savedParts } from './backups.ts'
export type { Source } from './byte-source.ts'
export type * from './commands/apps.ts'
export type * from './commands/backups.ts'
export type * from './commands/bans.ts'
export { MAX_BANS_AT_ONCE } from './commands/bans.ts'
export type * from './commands/condition.ts'
export type * from './commands/cron.ts'
export type * from './commands/dumps.ts'
export type * from './commands/files.ts'
export type * from './commands/firewall.ts'
export type * from './commands/imports.ts'
export type { Doing } from './commands/index.ts'
export type * from './commands/logs.ts'
export { MAX_MESSAGE_BYTES, type OutgoingMail } from './commands/mail.ts'
export type * from './commands/mail-queue.ts'
export type * from './commands/mail-trace.ts'
export type { ProgramRequest } from './commands/programs.ts'
export type * from './commands/services.ts'
export type * from './commands/state.ts'
export type * from './commands/trash.ts'
export type * from './commands/waf.ts'
export type * from './commands/wordpress.ts'
export {
  FileError,
  type FileErrorDetail,
  fileErrors,
  HostError,
  inodesUsedUp,
  quotaUsedUp,
  trashCounts,
} from './error.ts'
export type * from './files.ts'
export { MAX_TRASH_ITEMS } from './files.ts'
export type * from './logs.ts'
export { trafficLogs } from './logs.ts'
export { isProgram, linkLife, type ProgramName, programNames } from './programs.ts'
export type * from './repository.ts'

export interface HostState {
  readonly server: ServerConfig
  readonly accounts: readonly AccountState[]
}

interface ChangeOptions {
  /** Stored with the change, so that `recover` can report it. */
  readonly order?: Revision
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

type Parts = { readonly [Part in keyof typeof partCommands]: Implemented<(typeof partCommands)[Part]> }
export type HostApps = Parts['apps']
export type HostBackups = Parts['backups']
export type HostDumps = Parts['dumps']
export type HostImports = Parts['imports']
/** Without what is done in homes. */
export type ArchiveImports = Omit<HostImports, 'clearImport'>
export type HostLogs = Parts['logs']
export type HostPrograms = Parts['programs']

/** What daemons of some hosts lack. A directory renders it all. */
export const hostFeatures = ['apache', 'http3', 'waf', ...programNames] as const
export type HostFeature = (typeof hostFeatures)[number]

/** How jobs change the host: commands, and what the agent's own commands need. Idempotent where the commands are. */
export interface HostDriver extends Implemented<typeof driverCommands>, Parts {
  readonly kind: 'directory' | 'debian'
  readonly features?: readonly HostFeature[]
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
  /** Removes an account from the host with its belongings, and moves its home to the trash. */
  remove(account: AccountName, options?: RemoveOptions): Promise<void>
  /** Ends everything that runs with the account's user id, the work in its home too. */
  endWork(account: AccountName): Promise<void>
  files(account: AccountName): HostFiles
  /** Before a clean stop: writes back what was applied, and removes its records, which hold keys and hashes. */
  checkpoint(): Promise<void>
  /** Ends all tenants' programs at once, because this process is about to exit. */
  close(): void
}
