import type { Readable } from 'node:stream'
import type { AnyCommand } from './command.ts'
import type { fileCommands } from './commands/files.ts'
import type { CommandName, Commands, InputOf, ResultOf } from './commands/index.ts'
import type {
  AccountName,
  Answered,
  ByteVerbs,
  FileEntry,
  FileInput,
  FileVerb,
  HostDriver,
  HostFeature,
} from './driver.ts'

export type { Compared, Desired, FtpSession, HostAccount, Inspection, Revision } from './driver.ts'

export interface HostOptions {
  /** Of other nodes, only these are asked, by a command for all nodes with accounts. */
  readonly nodes?: ReadonlySet<string> | undefined
  readonly signal?: AbortSignal | undefined
  /** Called during the work: one line for the job's log, and the fraction done, 0 to 1. */
  readonly progress?: (line: string, done: number) => void
  /** Called with the reason when the work waits, and when it goes on. */
  readonly waits?: (line: string) => void
}

/** Nothing was done: the host had already received a newer state of the account. */
export const superseded = Symbol('superseded')
export type Superseded = typeof superseded

type Method<Declared extends AnyDeclared> =
  Record<string, never> extends InputOf<Declared>
    ? (input?: InputOf<Declared>, options?: HostOptions) => Promise<Reply<Declared>>
    : (input: InputOf<Declared>, options?: HostOptions) => Promise<Reply<Declared>>

/** What a command of this kind is answered to its caller. */
type Reply<Declared extends AnyDeclared> = true extends Declared['supersedes']
  ? ResultOf<Declared> | Superseded
  : 'never' extends Declared['retry']
    ? ResultOf<Declared> | undefined
    : 'fromHost' extends Declared['bulk']
      ? FileBytes<ResultOf<Declared>>
      : ResultOf<Declared>

type AnyDeclared = Pick<AnyCommand, 'input' | 'result' | 'supersedes' | 'retry' | 'bulk'>

/** The panel's commands: all but those that files have methods for. */
export type HostCommands = {
  readonly [Name in Exclude<CommandName, keyof typeof fileCommands>]: Method<Commands[Name]>
}

/**
 * The host as the panel reaches it: through its agent, which may be unreachable. A method for each command of
 * `commands/`; undefined is the result of one that is never sent twice, if the agent was lost.
 */
export interface HostClient extends HostCommands {
  /** The files of an account's home. Failed operations are not retried: they may have been done. */
  files(account: AccountName): FilesFromAfar
  /**
   * Keeps the agent running, and restarts it if it is lost, even without requests, as long as any named reason is on.
   */
  stay(reason: string, on: boolean): void
  /** Whether the host has a feature of its daemons; undefined while its agent has not said. */
  offers(feature: HostFeature): boolean | undefined
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
