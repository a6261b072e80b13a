import type { AccountCore, AccountName, ServerConfig } from '../contract/account.ts'
import { HostError } from '../contract/error.ts'
import type { MachineFacts } from '../contract/facts.ts'
import type { DirSpec, FileSpec, Rendered } from './spec.ts'

/** What the state calls gone: an object, and its path in the home. */
export interface Gone {
  readonly id: string
  readonly path: string
}

/** One part of the host: its input about an account beyond the core, and the files that it renders from it. */
export interface Part<Name extends string, State> {
  readonly name: Name
  /** Directories for all accounts' files. */
  readonly dirs: readonly DirSpec[]
  /** Files that belong to no account. */
  readonly files?: readonly FileSpec[]
  /** Throws unless every value is safe to write unescaped. */
  check(state: State): void
  /** A pure function from desired state to files: no clock, no disk. */
  render(core: AccountCore, state: State, server: ServerConfig, facts: MachineFacts): Rendered
  /** Paths in the home that are named after the main domain, and renamed with it. */
  named?(account: AccountName, domain: string, state: State): readonly string[]
  /** What goes to the account's own trash: moved by its owner, and counted to it until the trash is emptied. */
  gone?(state: State): readonly Gone[]
}

export const part = <const Name extends string, State>(declared: Part<Name, State>): Part<Name, State> => declared

/** The check of a part that needs only the core. */
export function noState(state: undefined): void {
  if (state !== undefined) throw new HostError('unsupported', 'A part of the account has unknown settings.')
}
