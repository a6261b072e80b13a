import type { AccountName } from './account.ts'

export const appKinds = ['static', 'php', 'node', 'python'] as const
export type AppKind = (typeof appKinds)[number]

/** An app as the host runs it. */
export interface AppUnit {
  readonly id: string
  /** The name of its directory: `~/apps/NAME`. */
  readonly name: string
  readonly kind: AppKind
  readonly listen: 'socket' | 'port'
  readonly running: boolean
  /** The number of the current release; undefined before the first. */
  readonly release?: number | undefined
  /** The port of that release, as its deploy returned it, if the app listens on a port. */
  readonly port?: number | undefined
  /** Relative to a release: what to serve, or where its commands run. */
  readonly root: string
  /** The command that starts it; static and php apps have none. */
  readonly start?: string | undefined
  /** The Host header of a health check. */
  readonly host: string
  readonly healthPath: string
  readonly healthTimeoutS: number
  /** By name, secrets included. */
  readonly env: Readonly<Record<string, string>>
}

/** A repository, with everything needed to reach it. */
export interface GitSource {
  readonly kind: 'git'
  readonly url: string
  /** A branch, a tag, or a commit of 40 digits; by default the repository's HEAD. */
  readonly ref?: string | undefined
  /** The address that the repository's host was approved with: git connects to no other. */
  readonly address: string
  readonly username?: string | undefined
  readonly password?: string | undefined
  /** A private key in OpenSSH format. */
  readonly deployKey?: string | undefined
  /** `TYPE BASE64`; without one, trust the key that the repository's host presents. */
  readonly hostKey?: string | undefined
}

/** An archive that was uploaded into the home. */
export interface UploadSource {
  readonly kind: 'upload'
  readonly id: string
  readonly size: number
  readonly sha256?: string | undefined
}

/** An existing release. */
export interface RetainedSource {
  readonly kind: 'retained'
}

export interface DeployRequest {
  readonly account: AccountName
  /** Its current state: `release` is the one to replace. */
  readonly app: Omit<AppUnit, 'root'>
  readonly release: number
  readonly source: GitSource | UploadSource | RetainedSource
  /** For a static or php app, defaults to `public` if that exists. */
  readonly root?: string | undefined
  readonly install?: string | undefined
  readonly build?: string | undefined
  readonly buildTimeoutS: number
  /** The names in `env` whose values are masked in the log. */
  readonly secrets: readonly string[]
  /** How many bytes the account may still write. */
  readonly room?: number | undefined
}

/** A release that is built and healthy, beside the current one. */
export interface Deployed {
  readonly commit?: string
  readonly sizeBytes: number
  readonly root: string
  /** The port, if the app listens on one. */
  readonly port?: number
  /** The host key of the repository's host, `TYPE BASE64`. */
  readonly hostKey?: string
  readonly warnings: readonly string[]
}

/** Identifies an app. */
export interface AppName {
  readonly account: AccountName
  readonly id: string
  readonly name: string
}

export interface AppSettling {
  readonly app: AppName
  /** The releases to keep beside the current one; all of them if absent. */
  readonly keep?: readonly number[] | undefined
}

export interface AppStatus {
  readonly id: string
  readonly status: 'stopped' | 'starting' | 'running' | 'crashed'
  /** One sentence for users. */
  readonly reason?: string
  /** The release that serves now. */
  readonly release?: number
}

export interface AppStatuses {
  /** Identifies this answer: differs after each change. */
  readonly at: string
  readonly items: readonly AppStatus[]
}

/** The steps of a deploy, with the fraction done when each begins. */
export const deployShares = { fetch: 0.1, install: 0.3, build: 0.5, check: 0.8 } as const

export interface AppOptions {
  readonly signal?: AbortSignal
  readonly progress?: (line: string, done: number) => void
}

/** The apps of accounts. Applying the part `apps` decides which release is current, and what runs. */
export interface HostApps {
  /**
   * Builds a release from scratch and starts it beside the current one, until it is healthy: applying it as current
   * then switches to it. A failed one leaves nothing.
   */
  deploy(order: DeployRequest, options?: AppOptions): Promise<Deployed>
  /** Waits until the app is as applied: healthy or stopped, with no other process; removes other releases. */
  settle(settling: AppSettling, options?: AppOptions): Promise<AppStatus>
  /** Restarts it: the old process serves until the new one is healthy. */
  restart(app: AppName, options?: AppOptions): Promise<AppStatus>
  /** At once, or with `after`, when it differs from that answer. */
  status(after: string | undefined, options?: AppOptions): Promise<AppStatuses>
}
