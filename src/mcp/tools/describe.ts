import type { z } from 'zod'
import { operationList } from '../../contract/index.ts'
import { type Schema, schemaOf } from '../../contract/json-schema.ts'
import { Examples } from '../../contract/openapi/examples.ts'
import { inputsOf } from '../../contract/openapi/operations.ts'
import { type Json, type Translation, translate } from '../../contract/openapi/schemas.ts'
import { areaSets, type Declaration, isOfAccount } from '../../contract/operation.ts'
import { isDestructive } from '../../contract/reach.ts'
import { isGenerated } from '../input.ts'
import { isRead, operationCalled } from '../operations.ts'
import type { ToolResult } from '../result.ts'
import type { McpSession } from '../session.ts'
import { type Arguments, textIn } from './arguments.ts'

export const MAX_ID_LENGTH = 64

/** One flat schema: the names of path, query and body are distinct. */
function inputSchema(op: Declaration, session: McpSession): Schema & { additionalProperties: false } {
  const parts = [op.params, op.query, op.body].flatMap((part) => (part ? [schemaOf(part as z.ZodType, 'input')] : []))
  const properties = Object.fromEntries(
    parts.flatMap((part) => Object.entries(part.properties ?? {})).filter(([name]) => !isGenerated(op, name)),
  )
  const isImplied = (name: string): boolean => session.account !== undefined && isOfAccount(op) && name === 'id'
  const required = parts
    .flatMap((part) => part.required ?? [])
    .filter((name) => properties[name] && !isImplied(name) && properties[name]?.default === undefined)
  return { type: 'object', properties, required, additionalProperties: false }
}

/** Made once for all operations: the first takes as long as all of them. */
let all: { readonly input: Translation; readonly examples: Examples } | undefined

function written(): NonNullable<typeof all> {
  const input = all?.input ?? translate(inputsOf(operationList), 'input')
  all ??= { input, examples: new Examples(input.named) }
  return all
}

function exampleOf(op: Declaration, session: McpSession): Json {
  const { input, examples } = written()
  const part = (name: 'params' | 'query' | 'body'): Json =>
    op[name] ? (examples.of(input.of(`${op.id} ${name}`)) as Json) : {}
  const fields = { ...part('params'), ...queryExample(op, part('query')), ...part('body') }
  const isLeftOut = (name: string): boolean =>
    isGenerated(op, name) || (session.account !== undefined && isOfAccount(op) && name === 'id')
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !isLeftOut(name)))
}

/** Of a query's filters only those that are required. */
const queryExample = (op: Declaration, example: Json): Json =>
  Object.fromEntries(Object.entries(example).filter(([name]) => !isOptional(op.query, name)))

const isOptional = (schema: z.ZodObject | undefined, name: string): boolean =>
  (schema?.shape[name] as z.ZodType | undefined)?.safeParse(undefined).success ?? true

function whoMay({ allow }: Declaration): string {
  if (typeof allow === 'string') return allow === 'anyone' ? 'anyone' : `any user with a ${allow}`
  const reseller = allow.reseller
  return [
    'root',
    ...(reseller ? [reseller === 'own' ? 'the reseller that owns it' : `resellers with ${reseller}`] : []),
    ...(allow.customer ? ['the customer'] : []),
  ].join(', ')
}

function scopesOf(op: Declaration): string[] {
  const verb = isRead(op) ? 'read' : 'write'
  return [op.token.admin, op.token.account].flatMap((areas) =>
    (areaSets(areas) ?? []).map((set) => set.map((area) => `${area}:${verb}`).join(' and ')),
  )
}

/** What an operation does, takes and emits. */
export function describeOperation(session: McpSession, args: Arguments): ToolResult {
  const op = operationCalled(textIn(args, 'id', MAX_ID_LENGTH), session)
  const generated = Object.keys(op.body?.shape ?? {}).filter((name) => isGenerated(op, name))
  return {
    id: op.id,
    summary: op.summary,
    ...(op.description && { description: op.description }),
    call_with: isRead(op) ? 'read' : 'change',
    destructive: !isRead(op) && isDestructive(op),
    who: whoMay(op),
    scopes: scopesOf(op),
    emits: op.emits ?? [],
    ...(op.job && { job: op.job }),
    input: inputSchema(op, session),
    ...(generated.length > 0 && {
      generated: `The panel makes ${generated.join(' and ')}; a person sees it by a link.`,
    }),
    example: exampleOf(op, session),
  }
}
