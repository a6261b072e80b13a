import { Problem } from '../../contract/problem.ts'

type FaultCode = 'validation' | 'exists' | 'in-use'

/** What is wrong with a record, and with which of its fields; who asked for it decides how that is told. */
export class Fault extends Error {
  readonly field: string
  readonly code: FaultCode
  constructor(field: string, message: string, code: FaultCode = 'validation') {
    super(message)
    this.field = field
    this.code = code
  }
}

/** The problem that a fault is to a caller who named the record alone. */
export function problemOf({ code, field, message }: Fault): Problem {
  if (code === 'in-use') return new Problem(code, message)
  return new Problem(code, `${field}: ${message}`, { [field]: message })
}

/** Does the work; a fault in it becomes what `told` makes of it. */
export function judged<T>(work: () => T, told: (fault: Fault) => Error = problemOf): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof Fault ? told(error) : error
  }
}
