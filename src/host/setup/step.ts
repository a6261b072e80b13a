import type { Suite } from '../debian/suite.ts'

/** What `--without` can leave out. */
export const choices = ['mail', 'dns', 'ftp', 'mysql', 'spam'] as const
export type Choice = (typeof choices)[number]

/** What a step is told of the machine. */
export interface Facts {
  readonly suite: Suite
  /** The server's name. */
  readonly hostname: string
  /** Where the server listens. */
  readonly port: number
  /** Services that this machine does without. */
  readonly without: ReadonlySet<Choice>
  /** Whether mail is judged here: not without mail, and not where there is too little memory for it. */
  readonly spam: boolean
  /** Whether it has joined a panel on another machine, whose server it then does without. */
  readonly isNode: boolean
}

/** A file of the base configuration, written once; what it replaces is kept as `*.panel-orig`. */
export interface BaseFile {
  /** Absolute. */
  readonly path: string
  /** The whole text, or what becomes of the text that is there; of its own result it makes the same. */
  readonly content: string | ((found: string) => string)
  readonly mode: number
  readonly group?: string
  /** Made where there is none, then left alone. */
  readonly seed?: true
}

export interface BaseDir {
  readonly path: string
  readonly mode: number
  readonly group?: string
}

/** A unit of systemd as it should be: enabled and running, or disabled and stopped; `as-it-is` only takes what is new. */
export interface Unit {
  readonly name: string
  readonly run: boolean | 'as-it-is'
  /** How it takes a new base configuration; by a restart if not given. */
  readonly renew?: 'reload'
  /** It is the machine's own, and goes on without panel too. */
  readonly keeps?: true
}

/** A port that a service takes, and who may hold it already: processes by their names, or by the paths of their programs. */
export interface Port {
  readonly port: number
  readonly protocol: 'tcp' | 'udp'
  readonly of: readonly string[]
}

/** Runs a program by its absolute path; throws what it said when it fails. */
export type Do = (program: string, args: readonly string[], input?: string) => Promise<string>

/** One service of the machine, and all that it needs before accounts are applied. Steps are done in their order. */
export interface Step {
  /** Names it in the lines of progress. */
  readonly name: string
  /** Left out by `--without`; always done if not given. */
  readonly choice?: Choice
  /** Whether this machine has it, besides that; if not given it has. */
  readonly when?: (facts: Facts) => boolean
  readonly packages: (suite: Suite) => readonly string[]
  /** Answers for debconf, before packages are installed. */
  readonly answers?: readonly string[]
  readonly ports?: readonly Port[] | ((facts: Facts) => readonly Port[])
  readonly dirs?: readonly BaseDir[]
  readonly files?: (facts: Facts) => readonly BaseFile[]
  /** Links that packages made, and that are in the way: link and target. */
  readonly unlinked?: readonly (readonly [string, string])[]
  /** What is neither a file nor a unit, such as a group; safe to repeat. Answers whether it changed anything. */
  readonly prepare?: (run: Do, facts: Facts) => Promise<boolean>
  /** Takes back what `prepare` made, and what its units leave behind; safe where there is nothing. */
  readonly undo?: (run: Do) => Promise<void>
  /** The daemon's own checker, asked before its units are started. */
  readonly check?: readonly [string, ...string[]]
  readonly units?: (suite: Suite) => readonly Unit[]
}
