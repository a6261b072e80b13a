import type { AppGround } from './apps/ground.ts'
import type { SavedDatabases } from './backup/databases.ts'
import type {
  AccountName,
  AccountState,
  AccountUsage,
  Belongings,
  Difference,
  FtpSession,
  HostArea,
  ServerConfig,
} from './driver.ts'
import type { MachineFacts } from './facts.ts'
import type { HomeAccess } from './homes/access.ts'
import type { Checks } from './install/engine.ts'
import type { Plan } from './install/plan.ts'
import type { Owners } from './owners.ts'
import type { ServerState } from './parts/server/state.ts'
import type { HostPrograms } from './programs.ts'
import type { TenantCommands } from './tenant/tenants.ts'

/** What a real machine does besides holding files: its users, its checks and its daemons. Every step is safe to repeat. */
export interface Machine {
  /** What its daemons are, where files differ by that. */
  readonly facts?: MachineFacts
  readonly owners: Owners
  readonly checks: Checks
  /** What runs the commands of tenants, as themselves. */
  readonly commands?: TenantCommands
  /** What builds and runs apps. */
  readonly apps?: AppGround
  /** The way into homes, with the rights of their owners; `nameOf` says what a home is called, once it is there. */
  homes?(nameOf: (account: AccountName) => string | undefined): HomeAccess
  /** Its database server, as backups need it. */
  readonly databases?: SavedDatabases
  /** Programs that are opened by links. */
  readonly programs?: HostPrograms
  /** Before an account's files are made. */
  makeUser(account: AccountState): Promise<void>
  /** Makes what lies in a home, as its owner. */
  fillHome(account: AccountState, plan: Plan): Promise<void>
  /** After an account's files have changed: its units, the daemons that read them, and what it has besides files. */
  settle(account: AccountState, plans: readonly Plan[], areas: readonly HostArea[] | undefined): Promise<void>
  /** After the server's own files have changed. */
  settleServer?(plan: Plan, state: Pick<ServerState, 'setsAside'>): Promise<void>
  /** After files of the name server have changed that are of no account here. */
  settleZones?(plan: Plan): Promise<void>
  /** Makes the daemons write on to new logs: theirs have been renamed. */
  reopenLogs(): Promise<void>
  /** Once its home is as it should be too. */
  tidy?(account: AccountState, plans: readonly Plan[]): Promise<void>
  /** Before an account is taken away: nothing of it may run. */
  stop(account: AccountName): Promise<void>
  /** After that. */
  forget(account: AccountName, plan: Plan, belongings: Belongings | undefined): Promise<void>
  /** At start, once what was half done is undone. */
  recover?(): Promise<void>
  /** Before any account: what follows from the server's settings. */
  prepare?(server: ServerConfig): Promise<void>
  /** How what it has besides files differs from an account's state. */
  differences?(account: AccountState): Promise<Difference[]>
  /** The same of what no account owns. */
  serverDifferences?(): Promise<Difference[]>
  /** Sessions of FTP that are open, of all accounts. */
  ftpSessions?(): Promise<readonly FtpSession[]>
  /** What daemons know of accounts, by username. */
  measure?(usernames: readonly string[]): Promise<ReadonlyMap<string, Partial<AccountUsage>>>
}
