import { badOutcome, stillRunning } from '../errors.ts'
import type { Invocation } from '../invocation.ts'
import { printObject } from '../output/print.ts'
import { presetIn, type View } from '../output/view.ts'
import type { Client, Request } from '../request/client.ts'
import { resume } from '../request/job.ts'
import { filledPath, type RequestInput } from '../request/plan.ts'
import { type Operation, operationOf } from '../table.ts'
import { data, isTty, note } from '../terminal.ts'

/** An operation to be executed. */
export interface CommandCall {
  readonly invocation: Invocation
  readonly operation: Operation
  readonly view: View
  readonly client: Client
  readonly input: RequestInput
  readonly request: Request
}

/** Executes an operation that is not a list: confirm, send, follow, print. */
export async function execute(call: CommandCall): Promise<void> {
  if (call.operation.raw) return (await import('./bytes.ts')).executeRaw(call)
  if (call.operation.follow) return (await import('./tail.ts')).executeTail(call)
  const name = call.operation.confirm && (await confirmed(call))
  const body = await answered(call, name === undefined ? call.request : confirmedBy(call.request, name))
  warnOf(call, body)
  await conclude(call, await withBeside(call, body))
  await remark(call, body)
}

/** Prints the answer's warnings. */
function warnOf({ invocation, operation }: CommandCall, body: unknown): void {
  const { warnings } = (body ?? {}) as { warnings?: unknown }
  if (invocation.globals.quiet || !operation.show || !Array.isArray(warnings)) return
  for (const warning of warnings) if (typeof warning === 'string') note(`warning: ${warning}`)
}

async function answered(call: CommandCall, request: Request): Promise<unknown> {
  try {
    return (await call.client.call(request)).body
  } catch (error) {
    if (!call.operation.inParts) throw error
    const { sendInParts } = await import('./import-chunks.ts')
    return sendInParts({ ...call, request }, error)
  }
}

/** Adds what a preset reads besides, such as where to paste a token. */
async function withBeside({ invocation, operation, client }: CommandCall, body: unknown): Promise<unknown> {
  const preset = presetIn(invocation, operation)
  if (!preset) return body
  const { body: beside } = await client.call({ method: 'GET', path: preset.beside })
  return { ...(beside as object), ...(body as object) }
}

/** Prints remarks on what was just created. */
async function remark({ invocation, operation, request }: CommandCall, answer: unknown): Promise<void> {
  if (invocation.globals.quiet || (!process.stderr.isTTY && invocation.globals.output !== 'table')) return
  const { remarkOn } = await import('../output/remarks.ts')
  remarkOn(invocation, operation, { sent: request.body, answer })
}

async function confirmed({ invocation, operation, client, input }: CommandCall): Promise<string | undefined> {
  const { confirm } = await import('../input/confirm.ts')
  return confirm(invocation, operation, client, input)
}

const confirmedBy = (request: Request, name: string): Request => ({
  ...request,
  query: { ...request.query, confirm: name },
})

async function conclude(call: CommandCall, body: unknown): Promise<void> {
  const { invocation, operation, view } = call
  if (body === undefined) return announce(invocation)
  if (operation.link && invocation.option('open') && (await opened(operation.link, body))) return
  const job = operation.job && jobOf(body)
  if (!job) return printObject(view, body)
  if (invocation.option('wait') === false) return unawaited(view, body, job)
  await followed(call, body, job)
}

/** Only on a terminal: elsewhere a browser could use up the link unseen. */
async function opened(field: string, body: unknown): Promise<boolean> {
  const link = (body as Record<string, unknown>)[field]
  if (!isTty()) note('not a terminal: no browser was opened')
  if (!isTty() || typeof link !== 'string') return false
  const { openLink } = await import('../output/browser.ts')
  return openLink(link)
}

/** The job in a response. */
function jobOf(body: unknown): string | undefined {
  const job = (body as { job_id?: unknown } | undefined)?.job_id
  return typeof job === 'string' ? job : undefined
}

function announce({ globals, command, positionals }: Invocation): void {
  if (process.stderr.isTTY && !globals.quiet) note(`Done: ${[...command.words, ...positionals].join(' ')}`)
}

/** With `-q`, prints the job's id for scripts: `panel jobs wait $(panel … --no-wait -q)`. */
async function unawaited(view: View, body: unknown, job: string): Promise<void> {
  if (view.quiet) return data(`${job}\n`)
  note(`job ${job} was started; wait for it with: panel jobs wait ${job}`)
  await printObject(view, body)
}

async function followed(call: CommandCall, body: unknown, job: string): Promise<void> {
  const { invocation, view, client } = call
  const { part, ...rest } = view
  const visible = part ? (body as Record<string, unknown>)[part] : body
  // A text may be shown only once, so print it before a job can fail.
  if (typeof visible === 'string') await printObject(view, body)
  const { finishAll } = await import('./follow-job.ts')
  const { nodes = [] } = body as { nodes?: readonly NodeJob[] }
  const waiting = nodes.filter(({ waiting_for }) => waiting_for !== undefined)
  for (const { job_id, waiting_for } of waiting) note(`job ${job_id} waits: ${waiting_for}`)
  const others = nodes.filter((one) => !waiting.includes(one)).map(({ job_id }) => ({ job: job_id }))
  await finishAll(invocation, client, [{ job, account: accountIn(body) }, ...others])
  refuseWaiting(waiting)
  if (typeof visible === 'string') return
  const left = await outcome(call, visible as Record<string, unknown> | undefined)
  await printObject({ ...rest, beside: part && body }, left)
  refuseOutcome(call, left)
  if (call.operation.trial) await (await import('./trial.ts')).settleTrial(call, body as { revert_at: number })
}

interface NodeJob {
  readonly node: string
  readonly job_id: string
  readonly waiting_for?: string
}

/** Jobs on other nodes are followed too, except on unreachable ones, which are reported. */
function refuseWaiting(waiting: readonly NodeJob[]): void {
  if (waiting.length > 0)
    throw stillRunning(`not done on ${waiting.map(({ node }) => node).join(', ')} yet`, resume(waiting[0]!.job_id))
}

/** Fails if a successful job found a problem. */
function refuseOutcome({ operation: { failsWhen } }: CommandCall, left: unknown): void {
  if (!failsWhen || (left as Record<string, unknown> | undefined)?.[failsWhen.field] !== failsWhen.value) return
  throw badOutcome(`${failsWhen.field} is ${failsWhen.value}`)
}

const accountIn = (body: unknown): string | undefined => (body as { account?: { id?: string } }).account?.id

/** The result after the job: read again, or the last known state if it is gone. */
async function outcome(
  { operation, client, input }: CommandCall,
  visible: Record<string, unknown> | undefined,
): Promise<unknown> {
  const { operation: read, id, part, listed } = operation.reread ?? {}
  if (!read || !visible) return visible
  const params = { ...input.params, ...(id && { [id]: String(visible['id']) }) }
  const answer = await client.call({ method: 'GET', path: filledPath(operationOf(read).path, params) })
  if (listed) return membersOf(answer.body).find((one) => one['id'] === visible['id']) ?? visible
  return part ? (answer.body as Record<string, unknown>)[part] : answer.body
}

const membersOf = (list: unknown) => (list as { items: readonly Record<string, unknown>[] }).items
