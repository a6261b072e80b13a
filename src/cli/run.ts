import type { Answer, Client, Request } from './client.ts'
import { confirm } from './confirm.ts'
import { finish, jobOf } from './follow.ts'
import { filledPath, type Input, inputOf } from './input.ts'
import { clientOf, type Invocation, operationFor, textOption } from './invocation.ts'
import { randomKey } from './key.ts'
import { runList } from './list.ts'
import { checkColumns } from './output/columns.ts'
import { printDocument, printObject } from './output/print.ts'
import { type Operation, operationOf } from './table.ts'
import { forEyes, note } from './terminal.ts'

/** Runs the operation of a command: collect, confirm, send, follow, print. */
export async function runOperation(invocation: Invocation): Promise<void> {
  const operation = operationFor(invocation)
  checkColumns(invocation, operation)
  const client = clientOf(invocation)
  const input = await inputOf(invocation, operation, client)
  const request = requestOf(invocation, operation, input)
  if (invocation.option('dry-run')) return printDocument(invocation, plan(request))
  if (operation.list) return runList(invocation, operation, client, request)
  const name = await confirm(invocation, operation, client, input)
  const answer = await client.call(name === undefined ? request : confirmedBy(request, name))
  await conclude(invocation, operation, client, answer)
}

/** The request that sends the input of an operation. */
export function requestOf(invocation: Invocation, operation: Operation, input: Input): Request {
  const { query, body } = input
  return {
    method: operation.method,
    path: filledPath(operation.path, input.params),
    ...(Object.keys(query).length > 0 && { query }),
    ...(body && (operation.method !== 'POST' || Object.keys(body).length > 0) && { body }),
    ...(operation.keyed && { headers: { 'idempotency-key': keyOf(invocation) } }),
  }
}

const keyOf = (invocation: Invocation): string => textOption(invocation, 'idempotency-key') ?? randomKey()

const confirmedBy = (request: Request, name: string): Request => ({
  ...request,
  query: { ...request.query, confirm: name },
})

/** What `--dry-run` shows; a random key would say nothing. */
export function plan({ method, path, query, body }: Request): object {
  return { method, path: `/api/v1${path}`, ...(query && { query }), ...(body !== undefined && { body }) }
}

async function conclude(invocation: Invocation, operation: Operation, client: Client, answer: Answer): Promise<void> {
  if (answer.body === undefined) return announce(invocation)
  if (operation.link && invocation.option('open') && (await opened(operation.link, answer.body))) return
  const job = jobOf(answer.body)
  if (!job || !operation.job) return printObject(invocation, operation, answer.body, false)
  if (invocation.option('wait') === false) return unawaited(invocation, operation, answer.body, job)
  await finish(invocation, client, { job, account: accountIn(answer.body) })
  await printObject(invocation, operation, await outcome(operation, client, answer.body), true)
}

/** Only where somebody sits: a browser on a machine that nobody looks at would use the link up. */
async function opened(field: string, body: unknown): Promise<boolean> {
  const link = (body as Record<string, unknown>)[field]
  if (!forEyes()) note('no terminal: no browser is started')
  if (!forEyes() || typeof link !== 'string') return false
  const { openLink } = await import('./browser.ts')
  return openLink(link)
}

function announce({ globals, command, positionals }: Invocation): void {
  if (process.stderr.isTTY && !globals.quiet) note(`Done: ${[...command.words, ...positionals].join(' ')}`)
}

async function unawaited(invocation: Invocation, operation: Operation, body: unknown, job: string): Promise<void> {
  if (!invocation.globals.quiet) note(`job ${job} was started; wait for it with: panel jobs wait ${job}`)
  await printObject(invocation, operation, body, false)
}

const shownIn = (operation: Operation, body: unknown): Record<string, unknown> =>
  (operation.show ? (body as Record<string, unknown>)[operation.show] : body) as Record<string, unknown>

const accountIn = (body: unknown): string | undefined => (body as { account?: { id?: string } }).account?.id

/** What the job left: read again, or as it last was where nothing is left to read. */
async function outcome(operation: Operation, client: Client, body: unknown): Promise<unknown> {
  const shown = shownIn(operation, body)
  if (!operation.reread) return shown
  const path = filledPath(operationOf(operation.reread).path, { id: String(shown['id']) })
  const answer = await client.call({ method: 'GET', path })
  return answer.body
}
