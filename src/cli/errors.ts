import { exit } from '../shared/exit.ts'
import { table } from './table.ts'
import type { ServerTarget } from './target/target.ts'

/** A problem document, from the server or made by the command line. */
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

  /** Recognized by its shape: each file of the build has its own class. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && 'problem' in value
  }
}

const local = (code: number, type: string, title: string, more: Partial<ProblemDocument> = {}): CliError =>
  new CliError(code, { type: `panel:problems/${type}`, title, ...more })

const hinted = (hint?: string): Partial<ProblemDocument> => (hint ? { hint } : {})

/** An invalid command line. */
export const usage = (title: string, hint?: string): CliError => local(exit.usage, 'usage', title, hinted(hint))

/** Input is required but cannot be prompted for. */
export const inputNeeded = (title: string, hint?: string, fields?: Record<string, string>): CliError =>
  local(exit.inputNeeded, 'input-needed', title, { ...(fields && { fields }), ...hinted(hint) })

/** The server cannot be reached. */
export const unreachable = (title: string, hint?: string): CliError =>
  local(exit.network, 'unreachable', title, hinted(hint))

/** The server's identity could not be verified. */
export const untrusted = (title: string, hint?: string): CliError =>
  local(exit.network, 'untrusted', title, hinted(hint))

/** The server's key differs from the pinned one. */
export const changedKey = ({ label, context, url }: ServerTarget, pin: string, presented?: string): CliError =>
  new CliError(exit.network, {
    type: 'panel:problems/untrusted',
    title: `${label} has another key than the pinned one: nothing was sent`,
    fields: { pinned: pin, shown: presented ?? 'none' },
    hint: `if its key was renewed on purpose: panel login ${url.origin}${context ? ` --context ${context}` : ''} --fingerprint sha256:…`,
  })

/** The response is not one of the API's. */
export const badAnswer = ({ label, source }: Pick<ServerTarget, 'label' | 'source'>): CliError =>
  local(
    exit.error,
    'bad-answer',
    `${label} is not a panel server, or sent an unexpected response`,
    hinted(`it was chosen by ${source}`),
  )

/** Plain HTTP was sent to a TLS port. */
export const speaksHttps = ({ label, source, url }: ServerTarget): CliError =>
  local(exit.network, 'unreachable', `${label} speaks HTTPS, but http:// was given`, {
    hint: `use https://${url.host}; the address came from ${source}`,
  })

export const tooLarge = ({ label }: ServerTarget): CliError =>
  local(exit.error, 'bad-answer', `the answer of ${label} is too large to read`)

/** Redirects are not followed: they could carry secrets elsewhere. */
export const redirected = ({ label }: ServerTarget, status: number, location = 'another address'): CliError =>
  local(exit.error, 'redirected', `${label} answers ${status} and redirects to ${location}`, {
    hint: 'redirects are not followed; give the address of the server itself',
  })

/** The operating system denies access. */
export const denied = (title: string, hint?: string): CliError => local(exit.auth, 'denied', title, hinted(hint))

/** The user declined. */
export const declined = (): CliError => local(exit.error, 'declined', 'Not confirmed: nothing was changed')

/** The job continues, but the command stops waiting. */
export const stillRunning = (title: string, hint?: string): CliError =>
  local(exit.stillRunning, 'still-running', title, hinted(hint))

/** The job failed. */
export const jobFailed = (title: string, detail?: string): CliError =>
  local(exit.jobFailed, 'job-failed', title, detail ? { detail } : {})

/** A job succeeded, and found a problem. */
export const badOutcome = (title: string): CliError => local(exit.error, 'bad-outcome', title)

/** Ctrl-C. */
export const interrupted = (title = 'Interrupted', hint?: string): CliError =>
  local(exit.interrupted, 'interrupted', title, hinted(hint))

/** An unknown name, in the form of the server's 404. */
export const noSuch = (noun: string, name: string, hint?: string): CliError =>
  new CliError(exit.notFound, {
    type: 'panel:problems/not-found',
    title: 'Not found',
    status: 404,
    detail: `No such ${noun}: ${name}`,
    ...hinted(hint),
  })

/** The same error with another hint. */
export const withHint = ({ exit: code, problem }: CliError, hint: string): CliError =>
  new CliError(code, { ...problem, hint })

/** The code of a problem: the last segment of its type. */
export const codeOf = (problem: ProblemDocument): string => problem.type.split(/[/:]/).at(-1) ?? ''

/** Whether a token was refused for its scope. */
export const isTokenScope = (error: unknown): error is CliError =>
  error instanceof CliError && codeOf(error.problem) === 'token-scope'

function exitOf(problem: ProblemDocument): number {
  const known = table.exits[codeOf(problem)]
  if (known !== undefined) return known
  const byStatus: Record<number, number> = { 401: exit.auth, 403: exit.auth, 404: exit.notFound, 409: exit.conflict }
  return byStatus[problem.status ?? 0] ?? exit.error
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Reads a problem from any server: only text fields are used. */
function problemIn(body: unknown, status: number): ProblemDocument {
  const provided = isObject(body) ? body : {}
  const { detail: _detail, fields: _fields, hint: _hint, request_id: _id, ...rest } = provided
  const text = (name: string): string | undefined => (typeof provided[name] === 'string' ? provided[name] : undefined)
  const [type = 'about:blank', title = `The server answered ${status}`, detail] = ['type', 'title', 'detail'].map(text)
  const fields = isObject(provided['fields']) ? Object.entries(provided['fields']) : []
  const texts = fields.flatMap(([name, message]) => (typeof message === 'string' ? [[name, message]] : []))
  return {
    ...rest,
    type,
    title,
    status,
    ...(detail !== undefined && { detail }),
    ...(texts.length > 0 && { fields: Object.fromEntries(texts) }),
  }
}

const hints: Record<string, string> = {
  unauthenticated: 'give an API token in PANEL_TOKEN, or use the socket of the local server as root',
  'token-scope': 'the token needs another scope; see `panel whoami`',
  'account-suspended': 'the account must be unsuspended first',
}

function hintOn(target: ServerTarget, code: string): string | undefined {
  const again = target.context && `panel login --context ${target.context}`
  if (target.session && (code === 'unauthenticated' || code === 'csrf')) return `the session has ended: ${again}`
  if (again && code === 'unauthenticated') return again
  if (again && code === 'confirm-password')
    return `on a terminal you are asked for your password; in a script use a token, or sign in again: ${again}`
  return hints[code]
}

/** The error for a response that is not 2xx. */
export function refused(target: ServerTarget, status: number, body: unknown, requestId?: string): CliError {
  const provided = problemIn(body, status)
  const hint = hintOn(target, codeOf(provided))
  return new CliError(exitOf(provided), { ...provided, ...hinted(hint), ...(requestId && { request_id: requestId }) })
}
