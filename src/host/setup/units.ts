import type { Ground } from './ground.ts'
import type { Unit } from './step.ts'

export const systemctl = '/usr/bin/systemctl'

/** Brings units to their desired state; returns whether any was not. `changed`: their configuration is new. */
export async function ensureUnits(ground: Ground, units: readonly Unit[], changed: boolean): Promise<boolean> {
  let acted = false
  for (const unit of units) acted = (await ensureUnit(ground, unit, changed)) || acted
  return acted
}

async function ensureUnit(ground: Ground, unit: Unit, changed: boolean): Promise<boolean> {
  if (unit.run === 'as-it-is') return changed && (await renewRunning(ground, unit))
  const [enabled, active] = [await isEnabled(ground, unit), await isActive(ground, unit)]
  return unit.run ? start(ground, unit, enabled, active, changed) : stop(ground, unit, enabled || active)
}

/** What `ensureUnits` would do with a unit, in one word. */
export async function whatIsToBeDone(ground: Ground, unit: Unit, changed: boolean): Promise<string | undefined> {
  if (unit.run === 'as-it-is') return undefined
  const [enabled, active] = [await isEnabled(ground, unit), await isActive(ground, unit)]
  if (!unit.run) return enabled || active ? 'stops' : undefined
  if (!enabled || !active) return 'starts'
  return changed ? `${unit.renew ?? 'restart'}s` : undefined
}

async function start(ground: Ground, unit: Unit, enabled: boolean, active: boolean, changed: boolean) {
  const { name, renew = 'restart' } = unit
  if (!enabled) await ground.run(systemctl, ['enable', '--quiet', name])
  if (active && changed) await ground.run(systemctl, [renew, name])
  if (!active) {
    await ground.run(systemctl, ['reset-failed', name]).catch(() => {})
    await ground.run(systemctl, ['start', name])
  }
  return !enabled || !active || changed
}

/** A unit that was never installed needs no stop. */
async function stop(ground: Ground, { name }: Unit, isOn: boolean): Promise<boolean> {
  if (isOn) await ground.run(systemctl, ['disable', '--now', '--quiet', name])
  return isOn
}

async function renewRunning(ground: Ground, { name }: Unit): Promise<boolean> {
  await ground.run(systemctl, ['try-restart', name])
  return true
}

const says = async ({ run }: Ground, words: readonly string[]): Promise<string> =>
  (await run(systemctl, words).catch(() => '')).trim()

/** `is-enabled` and `is-active` also report by exit code, which is an error here. */
export const isEnabled = async (ground: Ground, { name }: Pick<Unit, 'name'>): Promise<boolean> =>
  ['enabled', 'enabled-runtime', 'static', 'indirect'].includes(
    (await says(ground, ['show', '--property=UnitFileState', '--value', name])) || 'disabled',
  )
const isActive = async (ground: Ground, { name }: Unit): Promise<boolean> =>
  ['active', 'reloading', 'activating'].includes(
    await says(ground, ['show', '--property=ActiveState', '--value', name]),
  )
