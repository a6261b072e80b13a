import type { CountName } from '../../../contract/accounts.ts'
import type { Feature } from '../../../contract/common.ts'
import type { HostClient } from '../../../host/contract/client.ts'
import type {
  AccountState,
  AccountUsage,
  Belongings,
  DatabasesRestore,
  HostArea,
  HostParts,
  ServerConfig,
  ServerState,
} from '../../../host/contract/driver.ts'
import type { RunningJob, Settle } from '../../../runtime/jobs/job-kind.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { Collation } from '../../../shared/sql/privileges.ts'
import type { Db, Store } from '../../../store/open.ts'
import type { AccountLimits } from '../limits/limits.ts'
import type { FullAccount } from '../store.ts'
import type { Notices } from './notice.ts'

/** Limits to be granted, and the account if it exists already. */
export interface Grant {
  readonly owner_id: string
  readonly limits: Pick<AccountLimits, 'disk_quota_mb' | 'bw_limit_mb'>
  readonly self?: string
}

/** A name that steers the traffic of others. */
export interface ReservedName {
  readonly name: string
  /** What it is, in words: the host name of a node. */
  readonly what: string
}

/** The wanted main domain of an account. */
export interface NameRequest {
  readonly name: string
  /** The account, if it exists already. */
  readonly account?: string | undefined
}

/** What decrypts values, and the areas that extend accounts. */
type Composed = Pick<Runtime, 'areas' | 'hostname' | 'store' | 'unseal'>

/** An area's share of an account's backup: data, and texts by file name. */
export interface Saved {
  readonly data: object
  readonly texts?: Readonly<Record<string, string>>
}

/** Encrypts secrets in a backup. Cannot decrypt those of another backup. */
export interface Secrets {
  seal(text: string): string
  open(sealed: string): string | undefined
}

/** A share of a backup and the account it was made of, whose names it contains. */
export interface RestoredFrom extends Required<Saved> {
  readonly account: { readonly id: string; readonly username: string; readonly domain: string }
  readonly secrets: Pick<Secrets, 'open'>
}

/** How an area's share of an account is backed up, with its secrets encrypted. */
export interface BackupPart {
  /** The part of a backup that it goes into. */
  readonly part: 'config' | 'dns'
  /** The feature that the account needs for a restore. */
  readonly feature?: Feature
  readonly save: (runtime: Composed, account: FullAccount, secrets: Pick<Secrets, 'seal'>) => Saved
  /**
   * Restores it, in one change with the other areas, without emitting events. Returns one sentence for each thing left
   * out. Throws a problem for what is not allowed.
   */
  readonly restore: (ctx: Context, account: FullAccount, from: RestoredFrom) => readonly string[]
}

/** Databases to restore, and their prefixes now and in the backup. */
export interface DatabasesRequest extends Pick<DatabasesRestore, 'databases' | 'prefix' | 'formerPrefix'> {
  /** Why others are left out: one sentence each. */
  readonly left: readonly string[]
}

/** Databases whose content is in a backup, and their prefix there. */
export interface SavedDatabases {
  readonly prefix: string
  readonly databases: readonly { readonly name: string; readonly collation: Collation }[]
}

/** Database content in a backup: the host saves and restores it. */
export interface DatabasesPart {
  /** The databases that exist on the host. */
  readonly saved: (db: Db, account: FullAccount) => SavedDatabases
  /**
   * Recreates missing ones, in one change, and returns what the host must restore: the ones with these names in the
   * backup, or all. Throws a problem for what is not allowed.
   */
  readonly restore: (
    ctx: Context,
    account: FullAccount,
    saved: SavedDatabases,
    only?: readonly string[],
  ) => DatabasesRequest
}

/** How an area extends accounts. Hooks run inside the change that calls them, `end` in reverse order of areas. */
export interface AccountPart {
  /** Counts of what packages limit. */
  readonly counts?: { readonly [Name in CountName]?: (db: Db, accountId: string) => number }
  /** Its share of the desired state, by part of the host. */
  readonly host?: {
    readonly [Part in keyof HostParts]?: (db: Db, account: FullAccount, runtime: Composed) => HostParts[Part]
  }
  /** Does slow work before the state is read for the host, and commits its results itself. */
  readonly prepare?: (runtime: Runtime, account: FullAccount, areas?: readonly HostArea[]) => Promise<void>
  /** What the host must remove by name with the account. */
  readonly belongings?: (db: Db, accountId: string) => Partial<Belongings>
  /** Whether its programs must not send under its main domain. */
  readonly sendsAsUser?: (db: Db, accountId: string) => boolean
  /** Why a valid main domain cannot be used. */
  readonly names?: (ctx: Context, params: NameRequest) => string | undefined
  /** Names that the caller cannot have, nor names above or below them; only root can. */
  readonly reservedNames?: (ctx: Context) => readonly ReservedName[]
  /** SQL for the ids of the accounts that have a name with `@search` in it, in lower case. */
  readonly searched?: string
  /** The owner's name servers, if it has its own. */
  readonly nameservers?: (db: Db, ownerId: string) => readonly string[]
  /** What it adds to the server's configuration for a host. */
  readonly server?: (db: Db) => Partial<ServerConfig>
  /** Rejects a grant: 409 `limit-reached`. */
  readonly refuseGrant?: (ctx: Context, grant: Grant) => void
  readonly created?: (ctx: Context, account: FullAccount) => void
  /** Called after the change's own events. */
  readonly changed?: (ctx: Context, before: FullAccount, after: FullAccount) => void
  /** Called when a restore has replaced the contact address; with the account as it was. */
  readonly contactRestored?: (ctx: Context, before: FullAccount) => void
  /** Called when a job has applied the account, in the change that ends the job. */
  readonly applied?: (ctx: Context, account: FullAccount, state: AccountState) => void
  /** Stores what the host measured, in the same change. */
  readonly measured?: (store: Store, usage: AccountUsage, now: number) => void
  /** Its notices, of one account or many; uses an index of the faulty rows only. */
  readonly notices?: Notices
  /** Features whose programs its host does not have. */
  readonly unavailable?: (ctx: Context, account: FullAccount) => readonly Feature[]
  /** Throws if something prevents the account's termination. */
  readonly refuseEnd?: (ctx: Context, account: FullAccount) => void
  readonly backup?: BackupPart
  readonly databases?: DatabasesPart
  /** Runs before the account is removed from the host; the account stays as long as this throws. */
  readonly leaving?: (runtime: Runtime, client: HostClient, account: FullAccount, job: RunningJob) => Promise<void>
  /**
   * Called when files were restored into the home, at these paths (none: all of it). Returns what to do once the host
   * matches the store again.
   */
  readonly filesRestored?: (
    runtime: Runtime,
    client: HostClient,
    account: FullAccount,
    job: RunningJob,
    paths: readonly string[] | undefined,
  ) => Promise<() => Promise<void>>
  /** Called when the creation has failed for good, in the same change: ends what was waiting for it. */
  readonly forgotten?: (ctx: Context, accountId: string) => void
  /** Removes what must not outlive the decision to terminate. */
  readonly end?: (ctx: Context, account: FullAccount) => void
}

declare module '../../../runtime/areas/area.ts' {
  interface Area {
    readonly ofAccount?: AccountPart
    /** What it adds to the server's state on the host; must not write if `isLook`. */
    readonly ofServer?: (runtime: Runtime, isLook: boolean) => Promise<Partial<ServerState>>
    /** What it adds to the state of every machine. */
    readonly ofMachine?: (runtime: Runtime) => Partial<ServerState>
    /** Called inside a change when the host has applied that, and once an hour. */
    readonly onServerState?: (runtime: Runtime) => void
    /** What is applied besides accounts, after all of them; returns what to write then. */
    readonly ofSweep?: (runtime: Runtime, job: RunningJob) => Promise<Settle>
  }
}

export function refuseGrant(ctx: Context, grant: Grant): void {
  for (const part of partsOf(ctx.runtime)) part.refuseGrant?.(ctx, grant)
}

/** The areas' account parts, in the order of areas. */
export const partsOf = ({ areas }: Pick<Runtime, 'areas'>): AccountPart[] =>
  areas.flatMap(({ ofAccount }) => ofAccount ?? [])
