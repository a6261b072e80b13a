import type { Declaration } from '../contract/operation.ts'
import { type AgentCall, Refusal, type Request } from './backend.ts'
import { ToolFailure } from './failure.ts'
import type { McpSession } from './session.ts'

/** What to do about a problem, where its detail does not say. */
const nextSteps: Readonly<Record<string, string>> = {
  'not-found': 'find(name) gives ids; it shows only what this caller may see.',
  'token-scope': 'Ask the person for a token with that scope.',
  forbidden: 'Ask the person: this caller lacks the right.',
  busy: 'Wait for the job in progress, then try again.',
  changed: 'Read the object again before you decide.',
  'serial-mismatch': 'Read the zone again before you decide.',
  'rate-limited': 'Wait before the next call.',
  overloaded: 'Try again in a moment.',
  'limit-reached': 'Read the usage of the account; remove something or ask for a larger package.',
  'confirm-password': 'Ask the person to do it in the panel.',
}

const agentOf = (session: McpSession): AgentCall => {
  const client = session.client()
  return client === undefined ? {} : { client }
}

/** Calls an operation as the session's caller; a problem becomes a failure with the next step. */
export async function callOperation(
  session: McpSession,
  op: Declaration,
  request: Request,
  agent: AgentCall = {},
): Promise<unknown> {
  try {
    return await session.backend.call(op, request, { ...agentOf(session), ...agent })
  } catch (error) {
    if (!(error instanceof Refusal) || error.challenge !== undefined) throw error
    throw failureOf(op, error)
  }
}

function failureOf(op: Declaration, { code, message, problem }: Refusal): ToolFailure {
  const next = nextSteps[code] ?? (problem.fields ? `describe_operation("${op.id}") lists its fields.` : undefined)
  return new ToolFailure(code, message, next, problem.fields)
}
