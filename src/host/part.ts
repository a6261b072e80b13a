import type { AccountCore, AccountName, ServerConfig } from './account.ts'
import { HostError } from './error.ts'
import type { MachineFacts } from './facts.ts'
import type { DirSpec, FileSpec, Rendered } from './spec.ts'

/** A directory that goes elsewhere. */
export interface Move {
  readonly from: string
  readonly to: string
}

/** One part of the host: what it is told of an account beyond the core, and the files that it makes of it. */
export interface Part<Name extends string, State> {
  readonly name: Name
  /** Directories that hold the files of all accounts. */
  readonly dirs: readonly DirSpec[]
  /** Files that belong to no account. */
  readonly files?: readonly FileSpec[]
  /** Throws unless every value may be written as it is. */
  check(state: State): void
  /** Desired state to files, and nothing else: no clock, no disk. */
  render(core: AccountCore, state: State, server: ServerConfig, facts: MachineFacts): Rendered
  /** What in the home is named after the main domain, and moves when that changes. */
  named?(account: AccountName, domain: string, state: State): readonly string[]
  /** What in the home its state calls gone: it is moved to the trash, where it is reached by plain directories. */
  trashed?(core: AccountCore, state: State): readonly Move[]
}

/** Declares a part. */
export const part = <const Name extends string, State>(declared: Part<Name, State>): Part<Name, State> => declared

/** The check of a part that the core tells all it needs. */
export function noState(state: undefined): void {
  if (state !== undefined) throw new HostError('unsupported', 'A part of the account has unknown settings.')
}
