import { usage } from '../errors.ts'
import { type Invocation, textOption } from '../invocation.ts'
import { table } from '../table.ts'
import { durationOption } from './values.ts'

/** Validates output options before sending, so that a successful change never exits with a usage error. */
export async function checkOptions(invocation: Invocation): Promise<void> {
  checkEverything(invocation)
  const timeout = textOption(invocation, 'wait-timeout')
  if (timeout !== undefined) durationOption('wait-timeout', timeout)
  const expression = textOption(invocation, 'select')
  if (expression === undefined) return
  const { checkExpression } = await import('../output/select.ts')
  checkExpression(expression)
}

function checkEverything({ command, option }: Invocation): void {
  const { everything } = table.operations[command.operation ?? ''] ?? {}
  if (!everything || option(everything.option) === undefined || option(everything.without) === undefined) return
  throw usage(`--${everything.option} and --${everything.without} exclude one another`)
}
