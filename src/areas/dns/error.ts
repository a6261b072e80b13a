import { Problem } from '../../contract/problem.ts'

type ZoneErrorCode = 'validation' | 'exists' | 'in-use'

/** A fault of a record and its field; the caller decides how to report it. */
export class ZoneError extends Error {
  readonly field: string
  readonly code: ZoneErrorCode
  /** Why the host that a record points to has no address: an alias, or no record. */
  readonly target: 'alias' | 'none' | undefined
  constructor(field: string, message: string, code: ZoneErrorCode = 'validation', target?: 'alias' | 'none') {
    super(message)
    this.target = target
    this.field = field
    this.code = code
  }
}

/** The problem for a caller who sent only that record. */
export function problemOf({ code, field, message }: ZoneError): Problem {
  if (code === 'in-use') return new Problem(code, message)
  return new Problem(code, `${field}: ${message}`, { [field]: message })
}

/** Runs work, and converts a `ZoneError` in it with `toProblem`. */
export function withProblems<T>(work: () => T, toProblem: (error: ZoneError) => Error = problemOf): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof ZoneError ? toProblem(error) : error
  }
}
