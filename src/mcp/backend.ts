import type { Declaration } from '../contract/operation.ts'
import type { ProblemBody } from '../contract/problem.ts'

/** An operation's input, by where it is sent. */
export interface Request {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>> | undefined
}

/** What the agent adds to a call. */
export interface AgentCall {
  readonly client?: string
  readonly reason?: string
  readonly dryRun?: boolean
  readonly undoes?: { readonly change: string; readonly operations: readonly string[] }
}

/** The audit entry of a change. */
export interface Change {
  readonly id: string
  readonly operation: string
  readonly account?: { readonly id: string; readonly username?: string }
  readonly object_id?: string
  readonly before?: Readonly<Record<string, unknown>>
  readonly after?: Readonly<Record<string, unknown>>
}

/** What a change would do. */
export interface Effects extends Omit<Change, 'id' | 'operation'> {
  readonly events: readonly { readonly type: string; readonly object: string; readonly account?: string }[]
  readonly jobs: readonly { readonly kind: string; readonly account?: string }[]
}

/** The answer to a change. */
export interface Changed {
  readonly answer?: unknown
  readonly change?: Change
  /** Where a person can see the secrets that the answer would hold. */
  readonly secret_url?: string
}

/** The server, as the caller reaches it: who that is and what it may do, the server decides. */
export interface Backend {
  /** Throws a `Refusal` if the server refuses. */
  call(op: Declaration, request: Request, agent: AgentCall): Promise<unknown>
}

/** A problem that the server answered. */
export class Refusal extends Error {
  readonly problem: ProblemBody
  /** What a token lacks (RFC 6750). */
  readonly challenge: string | undefined

  constructor(problem: ProblemBody, challenge?: string) {
    super(problem.detail ?? problem.title)
    this.problem = problem
    this.challenge = challenge
  }

  get code(): string {
    return this.problem.type.split('/').at(-1) ?? ''
  }
}
