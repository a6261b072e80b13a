import { type Invocation, textOption } from '../invocation.ts'
import { durationOption } from './values.ts'

/** Refuses what would be found wrong only after the request: a change that was made must not end as a typing error. */
export async function checkOptions(invocation: Invocation): Promise<void> {
  const timeout = textOption(invocation, 'wait-timeout')
  if (timeout !== undefined) durationOption('wait-timeout', timeout)
  const expression = textOption(invocation, 'select')
  if (expression === undefined) return
  const { checkExpression } = await import('../output/select.ts')
  checkExpression(expression)
}
