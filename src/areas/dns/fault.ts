import { Problem } from '../../contract/problem.ts'

type FaultCode = 'validation' | 'exists' | 'in-use'

/** A fault of a record and its field; the caller decides how to report it. */
export class Fault extends Error {
  readonly field: string
  readonly code: FaultCode
  constructor(field: string, message: string, code: FaultCode = 'validation') {
    super(message)
    this.field = field
    this.code = code
  }
}

/** The problem for a caller who sent only that record. */
export function problemOf({ code, field, message }: Fault): Problem {
  if (code === 'in-use') return new Problem(code, message)
  return new Problem(code, `${field}: ${message}`, { [field]: message })
}

/** Runs work, and converts a fault in it by `told`. */
export function judged<T>(work: () => T, told: (fault: Fault) => Error = problemOf): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof Fault ? told(error) : error
  }
}
