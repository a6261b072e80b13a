import { compile, type JSONValue, search } from '@jmespath-community/jmespath'
import { usage } from '../errors.ts'

/** The result of a JMESPath expression. */
export const select = (value: unknown, expression: string): unknown =>
  explained(() => search(value as JSONValue, expression))

/** Rejects an invalid JMESPath expression. */
export function checkExpression(expression: string): void {
  explained(() => compile(expression))
}

function explained<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw usage(`--select: ${(error as Error).message}`)
  }
}
