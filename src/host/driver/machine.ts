import type { AppRunner } from '../apps/app-runner.ts'
import type { SavedDatabases } from '../backup/databases.ts'
import type { HomeQuota } from '../backup/home.ts'
import type { HostBans } from '../bans/host-bans.ts'
import type { Inputs } from '../contract/commands/index.ts'
import type {
  AccountName,
  AccountState,
  AccountUsage,
  ArchiveImports,
  Belongings,
  Condition,
  Difference,
  Doing,
  FtpSession,
  HostArea,
  HostPrograms,
  Inspection,
  OutgoingMail,
  ProbeResult,
  ServerConfig,
} from '../contract/driver.ts'
import type { MachineFacts } from '../contract/facts.ts'
import type { HostFirewall } from '../firewall/firewall.ts'
import type { HomeAccess } from '../homes/access.ts'
import type { Checks } from '../install/engine.ts'
import type { Owners } from '../install/owners.ts'
import type { Plan } from '../install/plan.ts'
import type { MailQueue } from '../mail-queue/select.ts'
import type { MailTrace } from '../mail-trace/trace.ts'
import type { ServerState } from '../parts/server/state.ts'
import type { TenantCommands } from '../tenant/tenants.ts'
import type { WafHits } from '../waf/hits.ts'

/**
 * What a host does besides holding files: its users, checks and daemons. Every method is idempotent; those of a directory
 * do nothing.
 */
export interface Machine {
  readonly kind: 'directory' | 'debian'
  /** Its daemons' properties that rendering depends on, as they are now: setup installs some while the agent runs. */
  facts(): MachineFacts | undefined
  /** Null without services to inspect. */
  inspect(): Promise<Inspection | null>
  /** Its load, memory, disks and clock; null without a machine to look at. */
  condition(): Promise<Condition | null>
  /** Queries its services for what they should answer about an account. */
  verify(state: Inputs['verify'], doing: Doing): Promise<readonly ProbeResult[]>
  /** The owners of new files, where they are not all this process's user's. */
  readonly owners: Owners | undefined
  readonly checks: Checks
  /** Runs tenants' commands as themselves. */
  readonly commands: TenantCommands
  /** Builds and runs apps. */
  readonly apps: AppRunner
  /** Access to homes with their owners' privileges; `nameOf` returns a home's name, once it exists. */
  homes(nameOf: (account: AccountName) => string | undefined): HomeAccess
  /** Its database server, for backups. */
  readonly databases: SavedDatabases | undefined
  /** Quotas of homes, for restores. */
  readonly quota: HomeQuota | undefined
  /** Readers of archives in a process of their own. */
  readonly imports: ArchiveImports
  /** Programs that links open. */
  readonly programs: HostPrograms
  /** Whether it has a mail server for the panel's own messages. */
  canSendMail(): Promise<boolean>
  /** Hands such a message to the mail server. */
  sendMail(mail: OutgoingMail): Promise<void>
  /** Its mail server's queue. */
  mailQueue(): MailQueue
  /** What became of messages. */
  mailTrace(): Pick<MailTrace, 'page'>
  wafHits(): Pick<WafHits, 'page'>
  /** Before an account's files are written. */
  makeUser(account: AccountState): Promise<void>
  /** Creates a home's content, as its owner. */
  fillHome(account: AccountState, plan: Plan): Promise<void>
  /**
   * After an account's files have changed: updates its units, the daemons that read the files, and its non-file
   * belongings.
   */
  settle(account: AccountState, plans: readonly Plan[], areas: readonly HostArea[] | undefined): Promise<void>
  /** After the server's own files have changed. */
  settleServer(plan: Plan, state: Pick<ServerState, 'disablesForeignSites'>): Promise<void>
  /** After the name server's files for accounts on other hosts have changed. */
  settleZones(plan: Plan): Promise<void>
  /** Its daemons' own logs. */
  readonly logs: readonly string[]
  /** Makes the daemons switch to new logs: the old ones were renamed. */
  reopenLogs(): Promise<void>
  /** Ends everything that runs with the account's user id, the work in its home too. */
  endWork(account: AccountName): Promise<void>
  /** Before an account is removed: nothing of it may run. */
  stop(account: AccountName): Promise<void>
  /** After an account is removed. */
  forget(account: AccountName, plan: Plan, belongings: Belongings | undefined): Promise<void>
  /** At start, after the rollback of what was half done. */
  recover(): Promise<void>
  /** Before any account: applies what follows from the server's settings. */
  prepare(server: ServerConfig): Promise<void>
  /** How its non-file belongings differ from an account's state. */
  differences(account: AccountState): Promise<Difference[]>
  /** The same for the server's own state. */
  serverDifferences(): Promise<Difference[]>
  /** The open FTP sessions of all accounts. */
  ftpSessions(): Promise<readonly FtpSession[]>
  /** Unverified domains with an address for which mail was refused since the last call. */
  refusedDomains(): Promise<readonly string[]>
  /** The addresses whose packets it drops. */
  readonly bans: HostBans
  readonly firewall: HostFirewall
  /** What daemons have measured of accounts, by username. */
  measure(usernames: readonly string[]): Promise<ReadonlyMap<string, Partial<AccountUsage>>>
}
