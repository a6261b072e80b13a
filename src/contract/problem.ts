/**
 * Every error code of the API: its HTTP status, title and CLI exit code.
 * The code is the last segment of a problem's `type` (contract: Errors).
 */
export const problems = {
  validation: { status: 400, title: 'Invalid input', exit: 1 },
  unauthenticated: { status: 401, title: 'Not signed in', exit: 4 },
  'license-readonly': { status: 402, title: 'The license has expired: the panel is read-only', exit: 1 },
  forbidden: { status: 403, title: 'Not allowed', exit: 4 },
  csrf: { status: 403, title: 'Missing or wrong CSRF token', exit: 4 },
  'token-ip': { status: 403, title: 'This token may not be used from this address', exit: 4 },
  'token-scope': { status: 403, title: 'This token cannot do this', exit: 4 },
  'confirm-password': { status: 403, title: 'Confirm your password first', exit: 4 },
  'feature-disabled': { status: 403, title: 'The feature is turned off for this account', exit: 4 },
  'account-suspended': { status: 403, title: 'The account is suspended', exit: 4 },
  'suspend-locked': { status: 403, title: 'Only root can unsuspend this account', exit: 4 },
  'not-found': { status: 404, title: 'Not found', exit: 3 },
  'method-not-allowed': { status: 405, title: 'Method not allowed', exit: 1 },
  blocked: { status: 409, title: 'Conflicts prevent it', exit: 5 },
  busy: { status: 409, title: 'Another change is in progress', exit: 5 },
  changed: { status: 409, title: 'It has changed since it was read', exit: 5 },
  exists: { status: 409, title: 'Already exists', exit: 5 },
  incomplete: { status: 409, title: 'Not complete', exit: 5 },
  'given-up': { status: 409, title: 'The node was given up', exit: 5 },
  'in-use': { status: 409, title: 'Still in use', exit: 5 },
  'limit-reached': { status: 409, title: 'Limit reached', exit: 5 },
  'not-cancellable': { status: 409, title: 'This job cannot be cancelled', exit: 5 },
  'not-retryable': { status: 409, title: 'This job cannot be retried', exit: 5 },
  'not-configured': { status: 409, title: 'Not configured on this server', exit: 5 },
  'release-unavailable': { status: 409, title: 'There is no such release to run', exit: 5 },
  suspended: { status: 409, title: 'The account is suspended', exit: 5 },
  'serial-mismatch': { status: 409, title: 'The zone has changed since it was read', exit: 5 },
  'too-many': { status: 409, title: 'Too many of these', exit: 5 },
  'too-large': { status: 413, title: 'The body is too large', exit: 1 },
  'unsupported-media-type': { status: 415, title: 'Unsupported media type', exit: 1 },
  'range-not-satisfiable': { status: 416, title: 'The range is not in the file', exit: 1 },
  'idempotency-mismatch': { status: 422, title: 'Idempotency key used for another request', exit: 1 },
  'invalid-description': { status: 422, title: 'Invalid description', exit: 1 },
  'invalid-events': { status: 422, title: 'Invalid events', exit: 1 },
  'invalid-url': { status: 422, title: 'Invalid URL', exit: 1 },
  'rate-limited': { status: 429, title: 'Too many requests', exit: 1 },
  internal: { status: 500, title: 'Internal error', exit: 1 },
  overloaded: { status: 503, title: 'Not available at the moment', exit: 1 },
  superseded: { status: 503, title: 'Another server has taken over', exit: 1 },
  'storage-full': { status: 507, title: 'The disk is full', exit: 1 },
} as const satisfies Record<string, { status: number; title: string; exit: number }>

export type ProblemCode = keyof typeof problems

/** What is wrong, by field name, and what to do. */
export type ProblemFields = Record<string, string>

/** The body of an error response, `application/problem+json` (contract: Problem). */
export interface ProblemBody {
  type: string
  title: string
  status: number
  detail?: string
  fields?: ProblemFields
}

/** An error that the API returns as a problem. Throwing it inside a change rolls the change back. */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly detail: string | undefined
  readonly fields: ProblemFields | undefined
  readonly headers: Record<string, string>

  constructor(code: ProblemCode, detail?: string, fields?: ProblemFields, headers: Record<string, string> = {}) {
    super(detail ?? problems[code].title)
    this.name = 'Problem'
    this.code = code
    this.detail = detail
    this.fields = fields
    this.headers = headers
  }

  get status(): number {
    return problems[this.code].status
  }

  body(base: string): ProblemBody {
    return {
      type: `${base}/${this.code}`,
      title: problems[this.code].title,
      status: this.status,
      ...(this.detail === undefined ? {} : { detail: this.detail }),
      ...(this.fields === undefined ? {} : { fields: this.fields }),
    }
  }
}

/** 400 `validation` for one field. */
export const invalid = (field: string, message: string): Problem =>
  new Problem('validation', `${field}: ${message}`, { [field]: message })

/** 400 `validation` for every invalid field; does nothing if there is none. */
export function refuseInvalid(errors: Readonly<Record<string, string | undefined>>): void {
  const fields = Object.fromEntries(
    Object.entries(errors).filter(([, problem]) => problem !== undefined),
  ) as ProblemFields
  const messages = Object.entries(fields).map(([name, problem]) => `${name}: ${problem}`)
  if (messages.length > 0) throw new Problem('validation', messages.join('; '), fields)
}

/** Collects what is wrong with one request, so that all of it is reported at once. */
export class ProblemList {
  readonly all: Problem[] = []

  /** Its result; undefined if it is refused. Refusals that do not depend on the input (401, 403, 404, 5xx) are not collected. */
  check<T>(act: () => T): T | undefined {
    try {
      return act()
    } catch (error) {
      if (!(error instanceof Problem) || (error.status !== 400 && error.status !== 409)) throw error
      this.all.push(error)
      return undefined
    }
  }

  /** Throws one problem for all of them: 400 if any is. */
  refuse(): void {
    const [first, ...further] = this.all
    if (first === undefined) return
    if (further.length === 0) throw first
    const { code } = this.all.find(({ status }) => status === 400) ?? first
    const details = [...new Set(this.all.map(({ message }) => message.replace(/\.$/, '')))]
    const fields: ProblemFields = {}
    for (const one of this.all) for (const [name, problem] of Object.entries(one.fields ?? {})) fields[name] ??= problem
    throw new Problem(code, `${details.join('. ')}.`, Object.keys(fields).length > 0 ? fields : undefined)
  }
}

/** 404 `not-found`: unknown, or not the caller's. */
export const notFound = (what: string): Problem => new Problem('not-found', `No such ${what}.`)

/** 403 `forbidden`: this kind of caller may not do it. */
export const notFor = (caller: 'customer' | 'reseller'): Problem =>
  new Problem('forbidden', `A ${caller} may not do this.`)

/** 403 `forbidden`: the ACL lacks the privilege. */
export const withoutPrivilege = (needed: string): Problem =>
  new Problem('forbidden', `This needs the privilege ${needed}.`)

/** 403 `forbidden`: only the account itself may do it. */
export const notWhileActing = (): Problem =>
  new Problem('forbidden', 'An administrator who is signed in as the account cannot do this.')

/** 403 `feature-disabled`: any of these would suffice. */
export const withoutFeature = (features: readonly string[]): Problem =>
  new Problem('feature-disabled', `The feature ${features.join(' or ')} is turned off for this account.`)

/** 409 `limit-reached`: it does not fit into the disk quota. */
export function withoutRoom(room: number, inTrash = ''): Problem {
  const message = `has room for ${room} more bytes${inTrash && `.${inTrash}`}`
  return new Problem('limit-reached', `disk_quota_mb: ${message}`, { disk_quota_mb: message })
}

/** 503 `overloaded`: nothing was done, and a retry may succeed. */
export const overloaded = (detail: string): Problem =>
  new Problem('overloaded', detail, undefined, { 'Retry-After': '1' })
