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

/** The steps of a deploy, with the fraction done when each begins. */
export const deployShares = { fetch: 0.1, install: 0.3, build: 0.5, check: 0.8 } as const
