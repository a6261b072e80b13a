import type { SetupContext } from './context.ts'
import type { Unit } from './step.ts'

export const systemctl = '/usr/bin/systemctl'

/** Brings units to their desired state; returns whether any was not. `changed`: their configuration is new. */
export async function ensureUnits(context: SetupContext, units: readonly Unit[], changed: boolean): Promise<boolean> {
  let acted = false
  for (const unit of units) acted = (await ensureUnit(context, unit, changed)) || acted
  return acted
}

async function ensureUnit(context: SetupContext, unit: Unit, changed: boolean): Promise<boolean> {
  if (unit.run === 'as-it-is') return changed && unit.renew !== 'never' && (await renewRunning(context, unit))
  const [enabled, active] = [await isEnabled(context, unit), await isActive(context, unit)]
  return unit.run ? start(context, unit, enabled, active, changed) : stop(context, unit, enabled || active)
}

/** What `ensureUnits` would do with a unit, in one word. */
export async function whatIsToBeDone(context: SetupContext, unit: Unit, changed: boolean): Promise<string | undefined> {
  if (unit.run === 'as-it-is') return undefined
  const [enabled, active] = [await isEnabled(context, unit), await isActive(context, unit)]
  if (!unit.run) return enabled || active ? 'stops' : undefined
  if (!enabled || !active) return 'starts'
  return changed ? `${unit.renew ?? 'restart'}s` : undefined
}

async function start(context: SetupContext, unit: Unit, enabled: boolean, active: boolean, changed: boolean) {
  const { name, renew = 'restart' } = unit
  if (!enabled) await context.run(systemctl, ['enable', '--quiet', name])
  if (active && changed && renew !== 'never') await context.run(systemctl, [renew, name])
  if (!active) {
    await context.run(systemctl, ['reset-failed', name]).catch(() => {})
    await context.run(systemctl, ['start', name])
  }
  return !enabled || !active || changed
}

/** A unit that was never installed needs no stop. */
async function stop(context: SetupContext, { name }: Unit, isOn: boolean): Promise<boolean> {
  if (isOn) await context.run(systemctl, ['disable', '--now', '--quiet', name])
  return isOn
}

async function renewRunning(context: SetupContext, { name }: Unit): Promise<boolean> {
  await context.run(systemctl, ['try-restart', name])
  return true
}

const says = async ({ run }: SetupContext, words: readonly string[]): Promise<string> =>
  (await run(systemctl, words).catch(() => '')).trim()

/** `is-enabled` and `is-active` also report by exit code, which is an error here. */
export const isEnabled = async (context: SetupContext, { name }: Pick<Unit, 'name'>): Promise<boolean> =>
  ['enabled', 'enabled-runtime', 'static', 'indirect'].includes(
    (await says(context, ['show', '--property=UnitFileState', '--value', name])) || 'disabled',
  )
const isActive = async (context: SetupContext, { name }: Unit): Promise<boolean> =>
  ['active', 'reloading', 'activating'].includes(
    await says(context, ['show', '--property=ActiveState', '--value', name]),
  )
