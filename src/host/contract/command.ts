import type { Schema } from './fields.ts'

/** For one node's part of a request that others take part in: an answer must come before the caller gives up. */
export const REPLY_TIMEOUT_MS = 5_000

/** Which nodes carry out a command. Without a route: the control plane's own host. */
export interface Route<Input, Result> {
  /** The account whose node carries it out; undefined: the control plane's own host. */
  account?(input: Input): string | undefined
  /** All linked nodes, and how their results become one. One that fails is left out. */
  everywhere?: { readonly ms: number; merge(results: readonly Result[]): Result }
  /** All nodes with accounts, unless they are unreachable: one that refuses it fails it. */
  withAccounts?: { readonly ms: number }
  /** The nodes of several accounts, each with its share. */
  shares?: Shares<Input, Result>
}

export interface Shares<Input, Result> {
  /** The account of each item of the input. */
  accounts(input: Input): readonly string[]
  /** The input for some of the items, by their positions. */
  only(input: Input, items: readonly number[]): Input
  merge(input: Input, shares: readonly Share<Result>[]): Result
  /** With a deadline a node that fails is left out; without one it fails the command. */
  readonly ms?: number
}

export interface Share<Result> {
  readonly items: readonly number[]
  /** Absent if the node failed. */
  readonly result?: Result
}

/** Whose names a result has: a node may report only about what is its own. */
export interface Subjects<Input, Result> {
  readonly kind: 'account' | 'app'
  ids(result: Result): readonly string[]
  /** The ids that were asked for; undefined: all of the node's own. */
  among?(input: Input): readonly string[] | undefined
}

/**
 * A command of the panel to a host's agent, stated once. The client, the router, the checks of requests and answers, and
 * the agent's dispatch derive from it. Commands are idempotent unless `retry` says otherwise.
 */
export interface Command<
  Input,
  Result,
  Supersedes extends true | undefined = undefined,
  Retry extends 'never' | 'outlives' | undefined = undefined,
  Bulk extends 'fromHost' | undefined = undefined,
> {
  readonly input: Schema<Input>
  /** What even a hostile node may answer. */
  readonly result: Schema<Result>
  readonly route?: Route<NoInfer<Input>, NoInfer<Result>>
  /** A newer state of the same account that arrives first takes its place. */
  readonly supersedes?: Supersedes
  /**
   * If the agent is lost, a command is sent again to the next one. `never`: its result is then unknown. `outlives`: the
   * work outlives the agent, so that losing the agent never fails it.
   */
  readonly retry?: Retry
  /** A caller that leaves does not abort it where it can go on. */
  readonly detaches?: true
  /** The result describes bytes, which arrive on a connection of their own. */
  readonly bulk?: Bulk
  /** The result's size depends on how many accounts, files or visitors there are, or on a tenant's text. */
  large?(input: NoInfer<Input>): boolean
  /** Whether a result fits its request. */
  fits?(input: NoInfer<Input>, result: NoInfer<Result>): boolean
  readonly subjects?: Subjects<NoInfer<Input>, NoInfer<Result>>
}

export const command = <
  Input,
  Result,
  Supersedes extends true | undefined = undefined,
  Retry extends 'never' | 'outlives' | undefined = undefined,
  Bulk extends 'fromHost' | undefined = undefined,
>(
  declared: Command<Input, Result, Supersedes, Retry, Bulk>,
): Command<Input, Result, Supersedes, Retry, Bulk> => declared

/** Any command, for code that treats all alike. */
export type AnyCommand = Command<
  unknown,
  unknown,
  true | undefined,
  'never' | 'outlives' | undefined,
  'fromHost' | undefined
>

export const isLarge = (): boolean => true
