import type { Suite } from '../debian/suite.ts'

/** What `--without` can omit. */
export const choices = ['mail', 'dns', 'ftp', 'mysql', 'spam', 'apache'] as const
export type Choice = (typeof choices)[number]

/** The machine's properties that steps depend on. */
export interface Facts {
  readonly suite: Suite
  /** The server's name. */
  readonly hostname: string
  /** The server's port. */
  readonly port: number
  /** The server's port for nodes. */
  readonly nodePort: number
  /** Services omitted on this machine. */
  readonly without: ReadonlySet<Choice>
  /** Further versions of PHP, asked for now or by an earlier run. */
  readonly php: readonly string[]
  /** Whether to scan mail for spam: not without mail, nor with too little memory. */
  readonly spam: boolean
  /** Absent unless ports that no service needs are closed; `ssh`: where sshd listens. */
  readonly firewall?: { readonly ssh: readonly number[] }
  /** Whether requests to sites are checked by a web application firewall. */
  readonly waf?: boolean
  /** Whether it has joined a panel on another machine, and so has no server of its own. */
  readonly isNode: boolean
}

/** A file of the base configuration, written once; what it replaces is kept as `*.panel-orig`. */
export interface BaseFile {
  /** Absolute. */
  readonly path: string
  /** The whole text, or a function of the existing text; it must be idempotent. */
  readonly content: string | ((found: string) => string)
  readonly mode: number
  readonly group?: string
  /** Created if missing, then left alone. */
  readonly seed?: true
}

export interface BaseDir {
  readonly path: string
  readonly mode: number
  readonly group?: string
}

/**
 * A systemd unit's desired state: enabled and running, or disabled and stopped; `as-it-is` only applies new
 * configuration.
 */
export interface Unit {
  readonly name: string
  readonly run: boolean | 'as-it-is'
  /** How it takes a new base configuration; by a restart if absent. */
  readonly renew?: 'reload' | 'never'
  /** It belongs to the machine, and stays without panel, too. */
  readonly keeps?: true
}

/** A service's port, and who may already hold it: process names or program paths. */
export interface Port {
  readonly port: number
  readonly protocol: 'tcp' | 'udp'
  readonly of: readonly string[]
}

/** Runs a program by its absolute path; throws its output if it fails. */
export type Do = (program: string, args: readonly string[], input?: string) => Promise<string>

/** One service of the machine, and all that it needs before accounts are applied. Steps run in order. */
export interface SetupStep {
  /** Names it in progress lines. */
  readonly name: string
  /** Omitted by this choice of `--without`; never if absent. */
  readonly choice?: Choice
  /** A further condition for having it; always true if absent. */
  readonly when?: (facts: Facts) => boolean
  readonly packages: (suite: Suite) => readonly string[]
  /** Answers for debconf, before packages are installed. */
  readonly answers?: readonly string[]
  readonly ports?: readonly Port[] | ((facts: Facts) => readonly Port[])
  readonly dirs?: readonly BaseDir[]
  readonly files?: (facts: Facts) => readonly BaseFile[]
  /** Symlinks from packages to remove: path and target. */
  readonly unlinked?: readonly (readonly [string, string])[]
  /** Changes other than files and units, such as a group; idempotent. Returns whether it changed anything. */
  readonly prepare?: (run: Do, facts: Facts) => Promise<boolean>
  /** Undoes `prepare`, and removes what its units leave behind; idempotent. */
  readonly undo?: (run: Do) => Promise<void>
  /** Printed when the step changed the machine: what else must be changed, outside of it. */
  readonly advice?: string
  /** The daemon's own checker, run before its units are started. */
  readonly check?: readonly [string, ...string[]]
  readonly units?: (suite: Suite) => readonly Unit[]
}
