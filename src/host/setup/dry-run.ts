import { configurationOf } from './apply-step.ts'
import type { SetupContext } from './context.ts'
import { isToBeWritten } from './files.ts'
import type { Facts, SetupStep } from './step.ts'
import { whatIsToBeDone } from './units.ts'

/** Lists what a step would write, start and stop, one line each; read-only. */
export async function dryRun(context: SetupContext, step: SetupStep, facts: Facts): Promise<string[]> {
  const files = step.files?.(facts) ?? []
  const written = files.filter((file) => isToBeWritten(context, file))
  const changed = written.length > 0 || context.record.running(step.name) !== configurationOf(context, files)
  const lines = written.map(({ path }) => `${step.name}: writes ${path}`)
  for (const unit of step.units?.(facts.suite) ?? []) {
    const act = await whatIsToBeDone(context, unit, changed)
    if (act) lines.push(`${step.name}: ${act} ${unit.name}`)
  }
  return lines
}
