import type { IncomingMessage } from 'node:http'
import type { Context } from 'hono'
import type { OperationId, Operations } from '../contract/index.ts'
import type { Output } from '../contract/operation.ts'
import type { Problem } from '../contract/problem.ts'

/** What a listener hands over with each request: the address it came from. */
export interface Bound {
  Bindings: { incoming?: IncomingMessage; local?: boolean; address?: string }
}
export type C = Context<Bound>
export type Job = Output<Operations['getJob']>['job']

/** What an operation is asked with: texts in path and query, JSON in the body. */
export interface Ask {
  readonly params?: Record<string, string>
  readonly query?: Record<string, string>
  readonly body?: object
}

/** One request, as the holder of its token. */
export interface Session {
  readonly id: string
  /** `root`, or the reseller's username. */
  readonly user: string
  readonly reseller: boolean
  /** Unix time in milliseconds. */
  readonly now: number
  /** Why the token or its holder may not call this operation at all; undefined where they may. */
  denial(id: OperationId): string | undefined
  /** Runs an operation as everybody does; throws its Problem. */
  perform<K extends OperationId>(id: K, ask?: Ask): Promise<Output<Operations[K]>>
  /** The job when it has ended, or as it is after the wait that WHM's clients stand. */
  job(id: string): Promise<Job>
}

/** What the front needs of the server behind it. */
export interface WhmServer {
  /** The token's holder. Throws 401 or 403, whatever is wrong with the token. */
  session(c: C, requestId: string): Session
  /** The body as text, of 16 KiB at most: no function needs more. */
  text(c: C): Promise<string>
  readonly headers: Record<string, string>
  requestId(): string
  /** Told of each answer; of the request only the function's name. */
  answered(request: { id: string; name: string; status: number; began: number }): void
  /** Any error as the problem a caller sees. */
  problemOf(error: unknown, requestId: string): Problem
}
