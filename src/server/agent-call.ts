import { randomInt } from 'node:crypto'
import { MAX_CLIENT_LENGTH, MAX_REASON_LENGTH } from '../contract/events.ts'
import type { Declaration } from '../contract/operation.ts'
import { invalid, Problem } from '../contract/problem.ts'
import { isOutOfReach, isSecretField, neededPasswords, secretName } from '../contract/reach.ts'
import { turnOfCaller } from '../runtime/jobs/shares.ts'
import type { AgentUse } from '../runtime/operations/agent.ts'
import {
  type Answer,
  type Call,
  type Handler,
  type HostHandler,
  type PayForBody,
  run,
} from '../runtime/operations/run.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { type AgentSecret, agentTickets } from '../runtime/security/agent-tickets.ts'
import { publicUrl } from '../runtime/settings/server-names.ts'

/** With which `panel mcp` says what an AI agent adds to a call: base64url of JSON. It grants no right. */
export const AGENT_HEADER = 'x-panel-agent'
const MAX_HEADER_LENGTH = 4096

/** What the header says; 400 if it is malformed. */
export function agentUseIn(header: string | undefined): AgentUse | undefined {
  if (header === undefined) return undefined
  const { client, reason, dryRun, undoes } = parsed(header)
  return {
    ...textOf('client', client, MAX_CLIENT_LENGTH),
    ...textOf('reason', reason, MAX_REASON_LENGTH),
    ...(dryRun === true && { dryRun }),
    ...(undoes !== undefined && { undoes: undoOf(undoes) }),
  }
}

const malformed = (): Problem => invalid(AGENT_HEADER, 'is malformed')

function parsed(header: string): Record<string, unknown> {
  if (header.length > MAX_HEADER_LENGTH) throw malformed()
  try {
    const value: unknown = JSON.parse(Buffer.from(header, 'base64url').toString('utf8'))
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // Reported below.
  }
  throw malformed()
}

function textOf(name: 'client' | 'reason', value: unknown, max: number): Partial<Record<typeof name, string>> {
  if (value === undefined) return {}
  if (typeof value !== 'string') throw malformed()
  // Both are shown to people: nothing in them may be invisible.
  const visible = value.replace(/[\p{C}\u2028\u2029]/gu, ' ')
  return { [name]: Array.from(visible).slice(0, max).join('').slice(0, max) }
}

function undoOf(value: unknown): NonNullable<AgentUse['undoes']> {
  const { change, operations } = (value ?? {}) as { change?: unknown; operations?: unknown }
  const isList =
    Array.isArray(operations) && operations.length <= 8 && operations.every((one) => typeof one === 'string')
  if (typeof change !== 'string' || !isList) throw malformed()
  return { change, operations }
}

/**
 * Runs an operation for an AI agent. Passwords are generated, and secrets in the answer are moved behind a link that asks
 * the person to sign in. The answer to a change holds its audit entry as well.
 */
export async function runForAgent(
  runtime: Runtime,
  handler: Handler | HostHandler,
  call: Call & { readonly agent: AgentUse },
): Promise<Answer> {
  const { op, agent } = call
  if (isOutOfReach(op)) throw new Problem('forbidden', `No AI agent can call ${op.id}.`)
  const generated: AgentSecret[] = []
  const body = async (pay: PayForBody) => withPasswords(op, await call.body(pay), generated)
  const answer = await run(runtime, handler, { ...call, body })
  if (op.method === 'get' || agent.dryRun) return answer
  const content = answer.json === undefined ? undefined : JSON.parse(answer.json.toString())
  const secrets = [...generated, ...secretsIn(op, content)]
  const secret_url = secrets.length > 0 ? await linkTo(runtime, call, secrets) : undefined
  const all = { answer: withoutSecrets(op, content), change: answer.change, secret_url }
  return { status: 200, json: JSON.stringify(all), headers: answer.headers }
}

const letters = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const PASSWORD_LENGTH = 24

const newPassword = (): string =>
  Array.from({ length: PASSWORD_LENGTH }, () => letters[randomInt(letters.length)]).join('')

/** An agent sends no secret; the panel makes the passwords. */
function withPasswords(op: Declaration, body: unknown, generated: AgentSecret[]): unknown {
  if (!op.body) return body
  const input = (body ?? {}) as Record<string, unknown>
  const secret = Object.keys(input).find((name) => isSecretField(op, name))
  if (secret !== undefined) throw invalid(secret, 'is a secret, which an AI agent must not handle')
  const names = neededPasswords(op, input)
  if (names.length === 0) return body
  for (const name of names) generated.push({ name, value: newPassword() })
  return { ...input, ...Object.fromEntries(generated.map(({ name, value }) => [name, value])) }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const isSecret = (op: Declaration, name: string): boolean => op.secret === true && secretName.test(name)

const secretsIn = (op: Declaration, content: unknown): AgentSecret[] =>
  Object.entries(isObject(content) ? content : {}).flatMap(([name, value]) =>
    isSecret(op, name) && typeof value === 'string' ? [{ name, value }] : [],
  )

const withoutSecrets = (op: Declaration, content: unknown): unknown =>
  isObject(content) ? Object.fromEntries(Object.entries(content).filter(([name]) => !isSecret(op, name))) : content

async function linkTo(runtime: Runtime, call: Call, secrets: readonly AgentSecret[]): Promise<string | undefined> {
  const { actor, agent, op } = call
  if (!actor) return undefined
  const { type, id } = actor
  const ticket = agentTickets(runtime).add(
    { principal: { type, id }, client: agent?.client, sentence: op.summary, secrets },
    turnOfCaller({ runtime, actor }),
  )
  return pageOf(runtime, actor, 'reveal', ticket.id)
}

/** The page of a ticket, in the panel of the person that the agent acts for. */
export const pageOf = (
  runtime: Runtime,
  { type }: { readonly type: string },
  kind: 'approve' | 'reveal',
  id: string,
): string => `${new URL(publicUrl(runtime)).origin}/${type === 'account' ? 'user' : 'admin'}/${kind}/${id}`
