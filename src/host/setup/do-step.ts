import { existsSync, readFileSync } from 'node:fs'
import { ensureDir, ensureFile, ensureUnlinked } from './files.ts'
import type { Ground } from './ground.ts'
import { digest } from './record.ts'
import type { BaseFile, Facts, Step } from './step.ts'
import { ensureUnits, systemctl } from './units.ts'

/** Applies a step to the machine; returns whether anything had to be changed. */
export async function doStep(ground: Ground, step: Step, facts: Facts): Promise<boolean> {
  const files = step.files?.(facts) ?? []
  const dirs = (step.dirs ?? []).map((dir) => ensureDir(ground, dir))
  const written = files.filter((file) => ensureFile(ground, file))
  const unlinked = (step.unlinked ?? []).map((pair) => ensureUnlinked(ground, pair))
  if (written.some(({ path }) => path.startsWith('/etc/systemd/'))) await ground.run(systemctl, ['daemon-reload'])
  const prepared = (await step.prepare?.(ground.run, facts)) ?? false
  const configuration = configurationOf(ground, files)
  const changed = ground.record.running(step.name) !== configuration || unlinked.includes(true) || prepared
  const acted = await startUnits(ground, step, facts, changed)
  if (changed) ground.record.note({ running: [step.name, configuration] })
  return acted || prepared || written.length > 0 || dirs.includes(true) || unlinked.includes(true)
}

/** Seed files may change later without a restart of their service. */
export function configurationOf({ root }: Ground, files: readonly BaseFile[]): string {
  const settled = files.filter(({ seed }) => !seed)
  return digest(JSON.stringify([settled.map(({ path }) => [path, textOf(root + path)])]))
}

async function startUnits(ground: Ground, step: Step, facts: Facts, changed: boolean): Promise<boolean> {
  const [checker, ...words] = step.check ?? []
  if (changed && checker) await ground.run(checker, words)
  return ensureUnits(ground, step.units?.(facts.suite) ?? [], changed)
}

const textOf = (place: string): string => (existsSync(place) ? readFileSync(place, 'utf8') : '')
