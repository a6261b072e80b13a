import type { Deployed, DeployOrder } from '../apps.ts'
import type { AppLog } from './app-log.ts'
import type { BuildLog } from './build-log.ts'
import type { Heard, Question } from './health.ts'
import type { ReleaseAct } from './releases.ts'
import type { Runnable } from './runnable.ts'
import type { RunFolder } from './sockets.ts'

/** Whose app it is. */
export interface Owner {
  readonly username: string
  readonly uid: number
}

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** What runs of a release, with all that it starts, until it ends or is ended. */
export interface AppRun {
  readonly exited: Promise<Exit>
  readonly exit: Exit | undefined
  /** Asks it to end, and kills it when it does not. */
  stop(graceMs: number): Promise<void>
  kill(): Promise<void>
  /** It is what serves from now on. */
  serves(): Promise<void>
  /** Tells what it has written by now; what it writes later stands in its log alone. */
  told(): Promise<void>
}

/** How a release is started. */
export interface Launch {
  readonly app: Runnable
  readonly folder: RunFolder
  readonly log: AppLog
  /** Names its socket and its note. */
  readonly label: string
  readonly key: string
  /** How often the app was started anew on purpose. */
  readonly bump: number
  /** The socket's path or the port where it is to listen. */
  readonly where: string
  /** Told what it writes, besides the log. */
  readonly output?: ((bytes: Buffer) => void) | undefined
}

/** A release that ran before this agent did. */
export interface Left {
  readonly label: string
  readonly key: string
  readonly bump: number
  readonly release: number
  readonly where: string
  readonly serves: boolean
  readonly run: AppRun
}

export type Made = Omit<Deployed, 'port'>

export interface MakeDoing {
  readonly log: BuildLog
  readonly signal: AbortSignal
}

export interface PortOwner {
  readonly port: number
  readonly uid: number
}

/** What apps are built and run by. */
export interface AppGround {
  /** Whether what runs outlives this process. */
  readonly outlives: boolean
  folder(app: string): RunFolder
  log(username: string, app: string): AppLog
  /** What an earlier process left of an app and still runs; where nothing is to outlive it, that is ended. */
  takeUp(app: string): Promise<readonly Left[]>
  /** Once all of them are taken up: what else there is, is ended. */
  tidy(): Promise<void>
  make(order: DeployOrder, doing: MakeDoing): Promise<Made>
  releases(owner: Owner, app: string, act: ReleaseAct): Promise<void>
  start(launch: Launch): Promise<AppRun>
  ask(owner: Owner, question: Question, signal: AbortSignal): Promise<Heard>
  /** Only these ports are used by apps, each by the programs of one account. */
  guard(ports: readonly PortOwner[]): Promise<void>
}
