import type { JSONValue } from '@jmespath-community/jmespath'
import { usage } from '../errors.ts'

/** What a JMESPath expression finds in a value. */
export async function select(value: unknown, expression: string): Promise<unknown> {
  const { search } = await import('@jmespath-community/jmespath')
  return explained(() => search(value as JSONValue, expression))
}

/** Refuses what is no JMESPath expression. */
export async function checkExpression(expression: string): Promise<void> {
  const { compile } = await import('@jmespath-community/jmespath')
  explained(() => compile(expression))
}

function explained<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw usage(`--select: ${(error as Error).message}`)
  }
}
