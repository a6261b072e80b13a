/** The machine settings that a driver needs. */
export interface ServerConfig {
  readonly hostname: string
  readonly nameservers: readonly string[]
  /** Whether databases accept remote connections; no if absent. */
  readonly mysqlPublic?: boolean | undefined
}

/** The names that everything of an account on the host is derived from. */
export interface AccountName {
  readonly id: string
  readonly username: string
  readonly uid: number
  readonly mainDomain: string
}

/** What an account has on the host besides files, by name: only what is listed is removed. */
export interface Belongings {
  readonly databases: readonly string[]
  readonly databaseUsers: readonly string[]
}

/**
 * Orders the desired states of an account, compared as a pair: the generation increases with each change of the
 * account, the epoch each time a store is restored to an earlier state.
 */
export interface Revision {
  readonly epoch: number
  readonly generation: number
}

/** What any part of the host may need to know about an account. */
export interface AccountCore extends AccountName {
  /** The name its files were last rendered under, if it was renamed since. */
  readonly formerUsername?: string | undefined
  readonly contactEmail: string
  readonly ipAddress: string
  readonly shell: string
  readonly suspended: boolean
}
