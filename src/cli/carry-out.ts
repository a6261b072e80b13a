import { filledPath, type Input } from './input/collect.ts'
import type { Invocation } from './invocation.ts'
import { printObject } from './output/print.ts'
import type { Answer, Client, Request } from './request/client.ts'
import { type Operation, operationOf } from './table.ts'
import { data, forEyes, note } from './terminal.ts'

interface Asked {
  readonly input: Input
  readonly request: Request
}

/** What an operation does that is no list: confirm, send, follow, print. */
export async function carryOut(
  invocation: Invocation,
  operation: Operation,
  client: Client,
  { input, request }: Asked,
): Promise<void> {
  const name = operation.confirm && (await confirmed(invocation, operation, client, input))
  const answer = await client.call(name === undefined ? request : confirmedBy(request, name))
  await conclude(invocation, operation, client, answer)
}

async function confirmed(
  ...asked: Parameters<typeof import('./input/confirm.ts').confirm>
): Promise<string | undefined> {
  const { confirm } = await import('./input/confirm.ts')
  return confirm(...asked)
}

const confirmedBy = (request: Request, name: string): Request => ({
  ...request,
  query: { ...request.query, confirm: name },
})

async function conclude(invocation: Invocation, operation: Operation, client: Client, answer: Answer): Promise<void> {
  if (answer.body === undefined) return announce(invocation)
  if (operation.link && invocation.option('open') && (await opened(operation.link, answer.body))) return
  const job = jobOf(answer.body)
  if (!job || !operation.job) return printObject(invocation, operation, answer.body, false)
  if (invocation.option('wait') === false) return unawaited(invocation, operation, answer.body, job)
  const { finish } = await import('./request/follow.ts')
  await finish(invocation, client, { job, account: accountIn(answer.body) })
  await printObject(invocation, operation, await outcome(operation, client, answer.body), true)
}

/** Only where somebody sits: a browser on a machine that nobody looks at would use the link up. */
async function opened(field: string, body: unknown): Promise<boolean> {
  const link = (body as Record<string, unknown>)[field]
  if (!forEyes()) note('no terminal: no browser is started')
  if (!forEyes() || typeof link !== 'string') return false
  const { openLink } = await import('./output/browser.ts')
  return openLink(link)
}

/** The job an answer names. */
function jobOf(body: unknown): string | undefined {
  const job = (body as { job_id?: unknown } | undefined)?.job_id
  return typeof job === 'string' ? job : undefined
}

function announce({ globals, command, positionals }: Invocation): void {
  if (process.stderr.isTTY && !globals.quiet) note(`Done: ${[...command.words, ...positionals].join(' ')}`)
}

/** Quiet, it is the job's id that a script goes on with: `panel jobs wait $(panel … --no-wait -q)`. */
async function unawaited(invocation: Invocation, operation: Operation, body: unknown, job: string): Promise<void> {
  if (invocation.globals.quiet) return data(`${job}\n`)
  note(`job ${job} was started; wait for it with: panel jobs wait ${job}`)
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
