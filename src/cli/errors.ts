import { exit } from '../shared/exit.ts'
import { table } from './table.ts'

/** The body of an error answer, or an error of the command line in the same shape. */
export interface ProblemDocument {
  readonly type: string
  readonly title: string
  readonly status?: number
  readonly detail?: string
  readonly fields?: Readonly<Record<string, string>>
  readonly hint?: string
  readonly request_id?: string
}

/** An error that ends the command with an exit code. */
export class CliError extends Error {
  readonly exit: number
  readonly problem: ProblemDocument

  constructor(code: number, problem: ProblemDocument) {
    super(problem.title)
    this.exit = code
    this.problem = problem
  }
}

const local = (code: number, type: string, title: string, more: Partial<ProblemDocument> = {}): CliError =>
  new CliError(code, { type: `panel:${type}`, title, ...more })

const hinted = (hint?: string): Partial<ProblemDocument> => (hint ? { hint } : {})

/** The command line is wrong. */
export const usage = (title: string, hint?: string): CliError => local(exit.usage, 'usage', title, hinted(hint))

/** Something must be said that cannot be asked for. */
export const inputNeeded = (title: string, hint?: string, fields?: Record<string, string>): CliError =>
  local(exit.inputNeeded, 'input-needed', title, { ...(fields && { fields }), ...hinted(hint) })

/** The server cannot be reached. */
export const unreachable = (title: string, hint?: string): CliError =>
  local(exit.network, 'unreachable', title, hinted(hint))

/** The operating system keeps the caller out. */
export const denied = (title: string, hint?: string): CliError => local(exit.auth, 'denied', title, hinted(hint))

/** The job goes on, the waiting does not. */
export const stillRunning = (title: string, hint?: string): CliError =>
  local(exit.stillRunning, 'still-running', title, hinted(hint))

/** The job ended badly. */
export const jobFailed = (title: string, detail?: string): CliError =>
  local(exit.jobFailed, 'job-failed', title, detail ? { detail } : {})

/** Ctrl-C. */
export const interrupted = (title = 'Interrupted', hint?: string): CliError =>
  local(exit.interrupted, 'interrupted', title, hinted(hint))

/** A name that no object has; the shape of the server's own 404. */
export const noSuch = (noun: string, name: string): CliError =>
  new CliError(exit.notFound, {
    type: 'panel:not-found',
    title: 'Not found',
    status: 404,
    detail: `No such ${noun}: ${name}`,
  })

/** The same error with another hint. */
export const withHint = ({ exit: code, problem }: CliError, hint: string): CliError =>
  new CliError(code, { ...problem, hint })

/** The code of a problem: the last segment of its type. */
export const codeOf = (problem: ProblemDocument): string => problem.type.split(/[/:]/).at(-1) ?? ''

function exitOf(problem: ProblemDocument): number {
  const known = table.exits[codeOf(problem)]
  if (known !== undefined) return known
  const byStatus: Record<number, number> = { 401: exit.auth, 403: exit.auth, 404: exit.notFound, 409: exit.conflict }
  return byStatus[problem.status ?? 0] ?? exit.error
}

const isProblem = (body: unknown): body is ProblemDocument =>
  typeof body === 'object' && body !== null && typeof (body as ProblemDocument).title === 'string'

const hints: Record<string, string> = {
  unauthenticated: 'give an API token in PANEL_TOKEN, or use the socket of the local server as root',
  'token-scope': 'the token needs another scope; see `panel whoami`',
  'account-suspended': 'the account must be unsuspended first',
}

/** The error of an answer that is not 2xx. */
export function refused(status: number, body: unknown, requestId?: string): CliError {
  const given: ProblemDocument = isProblem(body)
    ? { ...body, type: body.type ?? 'about:blank', status }
    : { type: 'about:blank', title: `The server answered ${status}`, status }
  const hint = hints[codeOf(given)]
  return new CliError(exitOf(given), { ...given, ...hinted(hint), ...(requestId && { request_id: requestId }) })
}
