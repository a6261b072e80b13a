import { existsSync, readFileSync } from 'node:fs'
import type { SetupContext } from './context.ts'
import { ensureDir, ensureFile, ensureUnlinked } from './files.ts'
import { digest } from './record.ts'
import type { BaseFile, Facts, SetupStep } from './step.ts'
import { ensureUnits, systemctl } from './units.ts'

/** Applies a step to the machine; returns whether anything had to be changed. */
export async function applyStep(context: SetupContext, step: SetupStep, facts: Facts): Promise<boolean> {
  const files = step.files?.(facts) ?? []
  const dirs = (step.dirs ?? []).map((dir) => ensureDir(context, dir))
  const written = files.filter((file) => ensureFile(context, file))
  const unlinked = (step.unlinked ?? []).map((pair) => ensureUnlinked(context, pair))
  if (written.some(({ path }) => path.startsWith('/etc/systemd/'))) await context.run(systemctl, ['daemon-reload'])
  const prepared = (await step.prepare?.(context.run, facts)) ?? false
  const configuration = configurationOf(context, files)
  const changed = context.record.running(step.name) !== configuration || unlinked.includes(true) || prepared
  const acted = await startUnits(context, step, facts, changed)
  if (changed) context.record.note({ running: [step.name, configuration] })
  if (changed && step.advice) context.say(`${step.name}: ${step.advice}`)
  return acted || prepared || written.length > 0 || dirs.includes(true) || unlinked.includes(true)
}

/** Seed files may change later without a restart of their service. */
export function configurationOf({ root }: SetupContext, files: readonly BaseFile[]): string {
  const settled = files.filter(({ seed }) => !seed)
  return digest(JSON.stringify([settled.map(({ path }) => [path, textOf(root + path)])]))
}

async function startUnits(context: SetupContext, step: SetupStep, facts: Facts, changed: boolean): Promise<boolean> {
  const [checker, ...words] = step.check ?? []
  if (changed && checker) await context.run(checker, words)
  return ensureUnits(context, step.units?.(facts.suite) ?? [], changed)
}

const textOf = (place: string): string => (existsSync(place) ? readFileSync(place, 'utf8') : '')
