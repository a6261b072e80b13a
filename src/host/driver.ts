/** The parts of a host that a job can bring in line with the store. */
export const hostAreas = ['users', 'limits', 'php', 'web', 'tls', 'dns', 'mail', 'db', 'ftp', 'apps', 'cron'] as const
export type HostArea = (typeof hostAreas)[number]

/** What a driver needs to know of the machine: names, addresses, and where things live below its root. */
export interface ServerConfig {
  readonly hostname: string
  readonly nameservers: readonly string[]
}

/** Sizes in MB, bandwidth a month; absent is unlimited. */
export interface AccountLimits {
  readonly diskMb?: number | undefined
  readonly inodes?: number | undefined
  readonly bandwidthMb?: number | undefined
  readonly phpChildren?: number | undefined
  readonly emailsPerHour?: number | undefined
}

/** All a driver is told of an account: its desired state, read in one snapshot when the job runs. */
export interface AccountState {
  readonly id: string
  readonly username: string
  /** The name its files were last rendered under, when it was renamed since. */
  readonly formerUsername?: string | undefined
  readonly uid: number
  readonly mainDomain: string
  readonly contactEmail: string
  readonly ipAddress: string
  readonly shell: string
  readonly cgi: boolean
  readonly suspended: boolean
  readonly mailRouting: 'auto' | 'local' | 'remote' | 'backup'
  readonly spamFilter: boolean
  readonly spamBox: boolean
  /** Serial of its zone, rising with every change. */
  readonly zoneSerial: number
  readonly limits: AccountLimits
}

export interface HostState {
  readonly server: ServerConfig
  readonly accounts: readonly AccountState[]
}

/** What an apply did to one area. `changed` counts files written or removed: a second apply changes none. */
export interface AreaResult {
  readonly area: HostArea
  readonly changed: number
}

/** An account's apply that failed, with one sentence for people. Nothing of it stays installed. */
export class HostError extends Error {
  readonly stage: 'stage' | 'precheck' | 'install' | 'validate' | 'remove'
  constructor(stage: HostError['stage'], message: string) {
    super(message)
    this.name = 'HostError'
    this.stage = stage
  }
}

export interface ApplyOptions {
  readonly areas?: readonly HostArea[]
  readonly signal?: AbortSignal
  /** Told as the apply goes on: one line for the job's log, and the share that is done, 0 to 1. */
  readonly progress?: (line: string, done: number) => void
}

export interface AccountUsage {
  readonly id: string
  readonly diskMb: number
  readonly inodes: number
  /** Since the start of the month. */
  readonly bandwidthMb: number
}

export interface AccountName {
  readonly id: string
  readonly username: string
  readonly uid: number
  readonly mainDomain: string
}

/** How jobs change the host. Every verb is safe to repeat: it makes the host match what it is told. */
export interface HostDriver {
  readonly kind: 'directory' | 'debian'
  /** At start, before any apply: undoes what a crash left half installed, and names the accounts by id. */
  recover(): Promise<{ undone: string[] }>
  /**
   * Makes the files of these accounts match their state; other accounts are not touched. Each account
   * is changed whole or not at all, and one that fails does not keep the others from being done.
   */
  apply(state: HostState, options?: ApplyOptions): Promise<AreaResult[]>
  /** Takes an account off the host, its home to the trash. */
  remove(account: AccountName): Promise<void>
  /** Measures; an account that is not on the host measures zero. */
  usage(accounts: readonly AccountName[]): Promise<AccountUsage[]>
}
