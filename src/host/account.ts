/** What a driver needs to know of the machine. */
export interface ServerConfig {
  readonly hostname: string
  readonly nameservers: readonly string[]
  /** Whether databases are reached from outside; absent they are not. */
  readonly mysqlPublic?: boolean | undefined
}

/** The names that everything of an account on the host is named after. */
export interface AccountName {
  readonly id: string
  readonly username: string
  readonly uid: number
  readonly mainDomain: string
}

/** What an account has on the host besides files, by name: only what is told of is taken away. */
export interface Belongings {
  readonly databases: readonly string[]
  readonly databaseUsers: readonly string[]
}

/**
 * Which of two desired states of an account is the newer, compared as a pair: the generation rises with each change of
 * the account, the epoch each time a store is put back to an earlier state.
 */
export interface Order {
  readonly epoch: number
  readonly generation: number
}

/** What every part of the host may need to know of an account. */
export interface AccountCore extends AccountName {
  /** The name its files were last rendered under, when it was renamed since. */
  readonly formerUsername?: string | undefined
  readonly contactEmail: string
  readonly ipAddress: string
  readonly shell: string
  readonly suspended: boolean
}

/** An account that lies on the host. */
export interface HeldAccount {
  readonly id: string
  readonly username?: string
  /** Under which files of it may lie. */
  readonly uid?: number
}
