import type { CountName } from '../../contract/accounts.ts'
import type { Feature } from '../../contract/common.ts'
import type { HostClient } from '../../host/client.ts'
import type {
  AccountState,
  AccountUsage,
  Belongings,
  DatabasesRestore,
  HostArea,
  HostParts,
  ServerConfig,
  ServerState,
} from '../../host/driver.ts'
import type { Context } from '../../runtime/context.ts'
import type { RunningJob, Settle } from '../../runtime/kind.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { Collation } from '../../shared/sql/privileges.ts'
import type { Db, Store } from '../../store/open.ts'
import type { Limits } from './limits.ts'
import type { Notices } from './notice.ts'
import type { FullAccount } from './store.ts'

/** What an account is to be given, and which account that is when it exists already. */
export interface Grant {
  readonly owner_id: string
  readonly limits: Pick<Limits, 'disk_quota_mb' | 'bw_limit_mb'>
  readonly self?: string
}

/** The main domain that an account is to have. */
export interface WantedName {
  readonly name: string
  /** Which account that is when it exists already. */
  readonly account?: string | undefined
}

/** What opens sealed values, and the areas that hang on what an account has. */
type Composed = Pick<Runtime, 'areas' | 'hostname' | 'store' | 'unseal'>

/** What of an area goes into a backup of an account: data, and texts by the name of their file. */
export interface Saved {
  readonly data: object
  readonly texts?: Readonly<Record<string, string>>
}

/** Seals what must not be read in a backup. What was sealed elsewhere is not opened. */
export interface Secrets {
  seal(text: string): string
  open(sealed: string): string | undefined
}

/** A share of a backup, and whose it was: names in it are those of that account. */
export interface RestoredFrom extends Required<Saved> {
  readonly account: { readonly id: string; readonly username: string; readonly domain: string }
  readonly secrets: Pick<Secrets, 'open'>
}

/** How an account's share of an area is backed up: secrets in it are sealed. */
export interface BackupPart {
  /** The part of a backup that it belongs to. */
  readonly part: 'config' | 'dns'
  /** What the account must have for any of it to come back. */
  readonly feature?: Feature
  readonly save: (runtime: Composed, account: FullAccount, secrets: Pick<Secrets, 'seal'>) => Saved
  /**
   * Puts it back, in one change with the other areas, and answers what could not be: one sentence each. Throws a problem
   * for what cannot be had, and tells no event.
   */
  readonly restore: (ctx: Context, account: FullAccount, from: RestoredFrom) => readonly string[]
}

/** Databases to put back, and what their names begin with now and began with in the backup. */
export interface WantedDatabases extends Pick<DatabasesRestore, 'databases' | 'prefix' | 'formerPrefix'> {
  /** Why others are not put back: one sentence each. */
  readonly left: readonly string[]
}

/** Databases whose content is in a backup, and what their names begin with there. */
export interface SavedDatabases {
  readonly prefix: string
  readonly databases: readonly { readonly name: string; readonly collation: Collation }[]
}

/** The content of databases in a backup: the host saves it and puts it back. */
export interface DatabasesPart {
  /** Those that the host has. */
  readonly saved: (db: Db, account: FullAccount) => SavedDatabases
  /**
   * Makes those that are gone, in one change, and says what the host is to put back: of the ones with these names in the
   * backup, or of all. Throws a problem for what cannot be had.
   */
  readonly restore: (
    ctx: Context,
    account: FullAccount,
    saved: SavedDatabases,
    only?: readonly string[],
  ) => WantedDatabases
}

/** What an area hangs on an account. Hooks run inside the change that calls them, `end` in the reverse order of areas. */
export interface AccountPart {
  /** How many it has of what a package limits. */
  readonly counts?: { readonly [Name in CountName]?: (db: Db, accountId: string) => number }
  /** Its desired state, by part of the host. */
  readonly host?: {
    readonly [Part in keyof HostParts]?: (db: Db, account: FullAccount, runtime: Composed) => HostParts[Part]
  }
  /** Makes what only slow work can make, before the state is read for the host; what it writes it commits by itself. */
  readonly prepare?: (runtime: Runtime, account: FullAccount, areas?: readonly HostArea[]) => Promise<void>
  /** What of it the host is told to take away by name when it goes. */
  readonly belongings?: (db: Db, accountId: string) => Partial<Belongings>
  /** Why a main domain cannot be had, though it is a name that one can have. */
  readonly names?: (ctx: Context, wanted: WantedName) => string | undefined
  /** The owner's name servers, if it has its own. */
  readonly nameservers?: (db: Db, ownerId: string) => readonly string[]
  /** What a host is told of the server besides its names. */
  readonly server?: (db: Db) => Partial<ServerConfig>
  /** Refuses what may not be granted: 409 `limit-reached`. */
  readonly refuseGrant?: (ctx: Context, grant: Grant) => void
  readonly created?: (ctx: Context, account: FullAccount) => void
  /** After the events of the change itself. */
  readonly changed?: (ctx: Context, before: FullAccount, after: FullAccount) => void
  /** A job has brought its host in line; in the change that ends the job. */
  readonly applied?: (ctx: Context, account: FullAccount, state: AccountState) => void
  /** What the host has measured of it; in the change that keeps that. */
  readonly measured?: (store: Store, usage: AccountUsage, now: number) => void
  /** What of it needs attention, of one account or of many: by an index of what does. */
  readonly notices?: Notices
  /** Refuses the end of an account while something stands in its way. */
  readonly refuseEnd?: (ctx: Context, account: FullAccount) => void
  readonly backup?: BackupPart
  readonly databases?: DatabasesPart
  /** What is to be done before its host is taken away; while it throws, the account stays. */
  readonly leaving?: (runtime: Runtime, client: HostClient, account: FullAccount, job: RunningJob) => Promise<void>
  /**
   * Files came back into its home, at these paths (none: all of it). Answers what is to be done once the host is in line
   * with the store again.
   */
  readonly filesRestored?: (
    runtime: Runtime,
    client: HostClient,
    account: FullAccount,
    job: RunningJob,
    paths: readonly string[] | undefined,
  ) => Promise<() => Promise<void>>
  /** Its creation has failed for good: what waits behind it ends, in the change that says so. */
  readonly forgotten?: (ctx: Context, accountId: string) => void
  /** Takes away what must not outlive the decision to terminate. */
  readonly end?: (ctx: Context, account: FullAccount) => void
}

declare module '../../runtime/area.ts' {
  interface Area {
    readonly ofAccount?: AccountPart
    /** What the host is told of the server besides its names; a look at it writes nothing. */
    readonly ofServer?: (runtime: Runtime, isLook: boolean) => Promise<Partial<ServerState>>
    /** Inside a change: when the host has been told of that, and once an hour. */
    readonly serverTold?: (runtime: Runtime) => void
    /** What is brought in line besides accounts, when all of them are; answers what to write then. */
    readonly ofSweep?: (runtime: Runtime, job: RunningJob) => Promise<Settle>
  }
}

export function refuseGrant(ctx: Context, grant: Grant): void {
  for (const part of partsOf(ctx.runtime)) part.refuseGrant?.(ctx, grant)
}

/** What hangs on accounts, in the order of areas. */
export const partsOf = ({ areas }: Pick<Runtime, 'areas'>): AccountPart[] =>
  areas.flatMap(({ ofAccount }) => ofAccount ?? [])
