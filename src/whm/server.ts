import type { IncomingMessage } from 'node:http'
import type { Context } from 'hono'
import type { Privilege } from '../contract/common.ts'
import type { OperationId, Operations } from '../contract/index.ts'
import type { Output } from '../contract/operation.ts'
import type { Problem } from '../contract/problem.ts'

/** What a listener passes with each request: its remote address. */
export interface Bound {
  Bindings: { incoming?: IncomingMessage; local?: boolean; address?: string }
}
export type C = Context<Bound>
export type PanelJob = Output<Operations['getJob']>['job']

/** An operation's input: texts in path and query, JSON in the body. */
export interface OperationCall {
  readonly params?: Record<string, string>
  readonly query?: Record<string, string>
  readonly body?: object
}

/** One request, made as the token's owner. */
export interface Session {
  readonly id: string
  /** `root`, or the reseller's username. */
  readonly user: string
  readonly reseller: boolean
  /** Unix time in milliseconds. */
  readonly now: number
  /** Why the token or its owner may not call this operation at all; undefined if they may. */
  denial(id: OperationId): string | undefined
  /** Whether the caller has a privilege. */
  holds(privilege: Privilege): boolean
  /** Runs an operation like any caller; throws its Problem. */
  perform<K extends OperationId>(id: K, ask?: OperationCall): Promise<Output<Operations[K]>>
  /** The ended job, or its state after the longest wait that WHM's clients tolerate. */
  job(id: string): Promise<PanelJob>
}

export interface WhmServer {
  /** The token's session. Throws 401 or 403 for any invalid token. */
  session(c: C, requestId: string): Session
  /** The body as text, at most 16 KiB: no function needs more. */
  text(c: C): Promise<string>
  readonly headers: Record<string, string>
  requestId(): string
  /** Called with each response; of the request, only the function's name. */
  answered(request: { id: string; name: string; status: number; began: number }): void
  /** Converts any error to the problem for the caller. */
  problemOf(error: unknown, requestId: string): Problem
}
