import { type JSONValue, search } from '@jmespath-community/jmespath'
import { usage } from '../errors.ts'

/** What a JMESPath expression finds in a value. */
export function select(value: unknown, expression: string): unknown {
  try {
    return search(value as JSONValue, expression)
  } catch (error) {
    throw usage(`--select: ${(error as Error).message}`)
  }
}
