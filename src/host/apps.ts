import type { AccountName } from './account.ts'

export const appKinds = ['static', 'php', 'node', 'python'] as const
export type AppKind = (typeof appKinds)[number]

/** An app as the host runs it. */
export interface AppUnit {
  readonly id: string
  /** Of its directory: `~/apps/NAME`. */
  readonly name: string
  readonly kind: AppKind
  readonly listen: 'socket' | 'port'
  readonly running: boolean
  /** The number of the current release; nothing before the first. */
  readonly release?: number | undefined
  /** Where that release listens, of an app that listens on a port: as its deploy answered. */
  readonly port?: number | undefined
  /** Within a release: what is served of it, or where its commands run. */
  readonly root: string
  /** The command that starts it; static and php apps have none. */
  readonly start?: string | undefined
  /** The name that a health check asks for. */
  readonly host: string
  readonly healthPath: string
  readonly healthTimeoutS: number
  /** Values by name, secrets included. */
  readonly env: Readonly<Record<string, string>>
}

/** A repository, with all that is needed to reach it. */
export interface GitSource {
  readonly kind: 'git'
  readonly url: string
  /** A branch, a tag, or a commit of 40 digits; else what the repository shows first. */
  readonly ref?: string | undefined
  /** The address that the host of the repository was judged by: git connects to no other. */
  readonly address: string
  readonly username?: string | undefined
  readonly password?: string | undefined
  /** A private key as OpenSSH writes it. */
  readonly deployKey?: string | undefined
  /** `TYPE BASE64`; without one the key is accepted that the repository's host shows. */
  readonly hostKey?: string | undefined
}

/** An archive that was uploaded into the home. */
export interface UploadSource {
  readonly kind: 'upload'
  readonly id: string
  readonly size: number
  readonly sha256?: string | undefined
}

/** A release that is there already. */
export interface KeptSource {
  readonly kind: 'kept'
}

export interface DeployOrder {
  readonly account: AccountName
  /** As it is now: `release` is the one to be replaced. */
  readonly app: Omit<AppUnit, 'root'>
  readonly release: number
  readonly source: GitSource | UploadSource | KeptSource
  /** Of a static or php app `public`, if there is one, unless it is given. */
  readonly root?: string | undefined
  readonly install?: string | undefined
  readonly build?: string | undefined
  readonly buildTimeoutS: number
  /** The names in `env` whose values are masked in the log. */
  readonly secrets: readonly string[]
  /** How many bytes the account may still write. */
  readonly room?: number | undefined
}

/** A release that is built and answers, beside the one that is current. */
export interface Deployed {
  readonly commit?: string
  readonly sizeBytes: number
  readonly root: string
  /** Where it listens, of an app that listens on a port. */
  readonly port?: number
  /** The key of the repository's host, `TYPE BASE64`. */
  readonly hostKey?: string
  readonly warnings: readonly string[]
}

/** Which app. */
export interface AppName {
  readonly account: AccountName
  readonly id: string
  readonly name: string
}

export interface AppSettling {
  readonly app: AppName
  /** The releases that are kept beside the current one; all of them if not given. */
  readonly keep?: readonly number[] | undefined
}

export interface AppStatus {
  readonly id: string
  readonly status: 'stopped' | 'starting' | 'running' | 'crashed'
  /** One sentence for people. */
  readonly reason?: string
  /** What serves now. */
  readonly release?: number
}

export interface AppStatuses {
  /** Names this answer: another for each change. */
  readonly at: string
  readonly items: readonly AppStatus[]
}

/** What a deploy goes through, with how much is done when it begins. */
export const deployShares = { fetch: 0.1, install: 0.3, build: 0.5, check: 0.8 } as const

export interface AppOptions {
  readonly signal?: AbortSignal
  readonly progress?: (line: string, done: number) => void
}

/** The apps of accounts. What is current, and what runs, an apply of the part `apps` says. */
export interface HostApps {
  /**
   * Makes a release from empty and starts it beside the current one, until it is healthy: then an apply that calls it
   * current switches to it. One that fails leaves nothing.
   */
  deploy(order: DeployOrder, options?: AppOptions): Promise<Deployed>
  /** Waits until the app is as it was applied: healthy or stopped, with no other process; removes other releases. */
  settle(settling: AppSettling, options?: AppOptions): Promise<AppStatus>
  /** Starts it anew: the old process serves until the new one is healthy. */
  restart(app: AppName, options?: AppOptions): Promise<AppStatus>
  /** At once, or, told of an answer, when there is another. */
  status(after: string | undefined, options?: AppOptions): Promise<AppStatuses>
}
