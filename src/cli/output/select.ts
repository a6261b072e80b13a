import type { JSONValue } from '@jmespath-community/jmespath'
import { usage } from '../errors.ts'

/** What a JMESPath expression finds in a value. */
export async function select(value: unknown, expression: string): Promise<unknown> {
  const { search } = await import('@jmespath-community/jmespath')
  try {
    return search(value as JSONValue, expression)
  } catch (error) {
    throw usage(`--select: ${(error as Error).message}`)
  }
}
