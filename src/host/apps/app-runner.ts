import type { Deployed, DeployRequest } from '../contract/commands/apps.ts'
import type { AppLog } from './app-log.ts'
import type { BuildLog } from './build-log.ts'
import type { Heard, Question } from './health.ts'
import type { ReleaseAct } from './releases.ts'
import type { Runnable } from './runnable.ts'
import type { RunFolder } from './sockets.ts'

/** The app's owner. */
export interface AppOwner {
  readonly username: string
  readonly uid: number
}

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A running release, with all its descendants, until it ends or is ended. */
export interface AppRun {
  readonly exited: Promise<Exit>
  readonly exit: Exit | undefined
  /** Asks it to end, and kills it after the grace period. */
  stop(graceMs: number): Promise<void>
  kill(): Promise<void>
  /** Makes it the serving process. */
  serves(): Promise<void>
  /** Resolves when its output so far has been passed on; later output goes to its log only. */
  drained(): Promise<void>
}

/** How to start a release. */
export interface Launch {
  readonly app: Runnable
  readonly folder: RunFolder
  readonly log: AppLog
  /** Names its socket and its note. */
  readonly label: string
  readonly key: string
  /** How often the app was restarted on request. */
  readonly bump: number
  /** The socket path or port to listen on. */
  readonly where: string
  /** Receives its output, besides the log. */
  readonly output?: ((bytes: Buffer) => void) | undefined
}

/** A release that ran before this agent. */
export interface Left {
  readonly label: string
  readonly key: string
  readonly bump: number
  readonly release: number
  readonly where: string
  readonly serves: boolean
  readonly run: AppRun
}

export type BuiltRelease = Omit<Deployed, 'port'>

export interface MakeDoing {
  readonly log: BuildLog
  readonly signal: AbortSignal
}

export interface PortOwner {
  readonly port: number
  readonly uid: number
}

/** What builds and runs apps. */
export interface AppRunner {
  /** Whether apps outlive this process. */
  readonly outlives: boolean
  folder(app: string): RunFolder
  log(username: string, app: string): AppLog
  /** Returns an earlier agent's processes that still run; if nothing is to outlive it, ends them. */
  takeUp(app: string): Promise<readonly Left[]>
  /** Call once all are taken up: ends everything else. */
  tidy(): Promise<void>
  make(order: DeployRequest, doing: MakeDoing): Promise<BuiltRelease>
  releases(owner: AppOwner, app: string, act: ReleaseAct): Promise<void>
  start(launch: Launch): Promise<AppRun>
  ask(owner: AppOwner, question: Question, signal: AbortSignal): Promise<Heard>
  /** Restricts each of these ports to one account's programs, and apps to these ports. */
  guard(ports: readonly PortOwner[]): Promise<void>
}
