import { configurationOf } from './do-step.ts'
import { isToBeWritten } from './files.ts'
import type { Ground } from './ground.ts'
import type { Facts, Step } from './step.ts'
import { whatIsToBeDone } from './units.ts'

/** Lists what a step would write, start and stop, one line each; read-only. */
export async function foretell(ground: Ground, step: Step, facts: Facts): Promise<string[]> {
  const files = step.files?.(facts) ?? []
  const written = files.filter((file) => isToBeWritten(ground, file))
  const changed = written.length > 0 || ground.record.running(step.name) !== configurationOf(ground, files)
  const lines = written.map(({ path }) => `${step.name}: writes ${path}`)
  for (const unit of step.units?.(facts.suite) ?? []) {
    const act = await whatIsToBeDone(ground, unit, changed)
    if (act) lines.push(`${step.name}: ${act} ${unit.name}`)
  }
  return lines
}
