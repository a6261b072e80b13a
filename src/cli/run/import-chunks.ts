import { CliError, codeOf } from '../errors.ts'
import { textOption } from '../invocation.ts'
import type { Request } from '../request/client.ts'
import { randomKey } from '../request/key.ts'
import { filledPath } from '../request/plan.ts'
import { note } from '../terminal.ts'
import type { CommandCall } from './execute.ts'
import { finish } from './follow-job.ts'
import { type ZonePart, zoneParts } from './zone-chunks.ts'

/** The response of an import. */
interface Imported {
  readonly zone: { readonly serial: number }
  readonly created: number
  readonly deleted: number
  readonly unchanged: number
  readonly skipped: readonly unknown[]
  readonly warnings: readonly unknown[]
  readonly job_id: string
}

const recordsOfPart = 1_000
/** If two parts would do, the file was not refused for its number of records. */
const leastParts = 3

/** Sends a refused file in parts, and returns the sums. */
export async function sendInParts(call: CommandCall, refusal: unknown): Promise<unknown> {
  const { inParts } = call.operation
  const body = call.request.body as Record<string, unknown> | undefined
  const { field, value } = inParts!.only
  const isTooMany = refusal instanceof CliError && codeOf(refusal.problem) === 'too-many'
  if (!isTooMany || !body || (body[field] ?? value) !== value) throw refusal
  const parts = zoneParts(String(body[inParts!.file]), await zoneName(call, inParts!.zone), recordsOfPart)
  if (parts.length < leastParts) throw refusal
  if (!call.invocation.globals.quiet) note(`the file is imported in ${parts.length} parts`)
  return sendEach(call, parts)
}

async function zoneName({ client, input }: CommandCall, path: string): Promise<string> {
  const { body } = await client.call({ method: 'GET', path: filledPath(path, input.params) })
  return (body as { name: string }).name
}

async function sendEach(call: CommandCall, parts: readonly ZonePart[]): Promise<Imported> {
  let sum: Imported | undefined
  for (const [at, part] of parts.entries()) {
    try {
      if (sum) await followed(call, sum)
      const { body } = await call.client.call(requestFor(call, part, at, sum))
      sum = added(sum, body as Imported)
    } catch (error) {
      throw stopped(error, part, sum?.created ?? 0)
    }
  }
  return sum!
}

async function followed({ invocation, client }: CommandCall, { job_id }: Imported): Promise<void> {
  if (invocation.option('wait') !== false) await finish(invocation, client, { job: job_id })
}

/** Derives an idempotency key per part from a given one, so that the whole command can be repeated. */
function requestFor(
  { invocation, operation, request }: CommandCall,
  part: ZonePart,
  at: number,
  sum?: Imported,
): Request {
  const body = request.body as Record<string, unknown>
  const provided = textOption(invocation, 'idempotency-key')
  const serial = body['serial'] === undefined ? undefined : (sum?.zone.serial ?? body['serial'])
  return {
    ...request,
    body: { ...body, [operation.inParts!.file]: part.text, ...(serial !== undefined && { serial }) },
    ...(operation.keyed && { headers: { 'idempotency-key': provided ? `${provided}-${at + 1}` : randomKey() } }),
  }
}

const added = (sum: Imported | undefined, next: Imported): Imported => ({
  ...next,
  created: (sum?.created ?? 0) + next.created,
  deleted: (sum?.deleted ?? 0) + next.deleted,
  unchanged: (sum?.unchanged ?? 0) + next.unchanged,
  skipped: [...(sum?.skipped ?? []), ...next.skipped],
  warnings: [...(sum?.warnings ?? []), ...next.warnings],
})

function stopped(error: unknown, { first, last }: ZonePart, created: number): unknown {
  if (!(error instanceof CliError)) return error
  const where = `stopped at lines ${first} to ${last}; ${created} records were created before`
  const { hint } = error.problem
  return new CliError(error.exit, { ...error.problem, hint: hint ? `${where}; ${hint}` : where })
}
