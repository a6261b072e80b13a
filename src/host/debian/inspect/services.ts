import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ServiceState } from '../../contract/commands/state.ts'
import type { SetupStep } from '../../setup/step.ts'
import { steps } from '../../setup/steps/index.ts'
import type { Run } from '../commands.ts'
import type { Suite } from '../suite.ts'

interface Service {
  readonly name: string
  readonly package: string
  readonly unit?: string
  /** Set up by choice: its package may be there for another service. */
  readonly isOptional?: boolean
}

const own: readonly Service[] = [
  { name: 'server', package: 'panel', unit: 'panel.service' },
  { name: 'agent', package: 'panel', unit: 'panel-host.service' },
]

/** What `panel host setup` installs: a step's first package is its main one. */
export function servicesOf(suite: Suite, listed: readonly SetupStep[] = steps): Service[] {
  const hosted = listed.flatMap(({ name, packages, units, when }) => {
    const [main] = packages(suite)
    const all = units?.(suite) ?? []
    if (main === undefined || all.length === 0) return []
    const unit = (all.find(({ run }) => run === true) ?? all.find(({ name: one }) => isPattern(one)))?.name
    return [{ name, package: main, isOptional: when !== undefined, ...(unit !== undefined && { unit }) }]
  })
  return [...own, ...hosted]
}

/** The machine's services, without those it does not use. */
export async function inspectServices(run: Run, suite: Suite, root = '/'): Promise<ServiceState[]> {
  const services = servicesOf(suite)
  const units = services.flatMap(({ unit }) => (unit === undefined ? [] : unitsOf(unit, root)))
  const [versions, { states, missing }] = await Promise.all([versionsOf(run, services), statesOf(run, units)])
  return services.flatMap(({ name, package: main, unit, isOptional }) => {
    const version = versions.get(main)
    if (version === undefined || (isOptional && unit !== undefined && missing.has(unit))) return []
    return [{ name, ...(unit && viewOf(unit, unitsOf(unit, root), states)), version }]
  })
}

const wants = ['multi-user', 'sockets'].map((target) => `etc/systemd/system/${target}.target.wants`)
const isPattern = (unit: string): boolean => unit.includes('*')

/** One unit per account: those enabled at boot. */
function unitsOf(unit: string, root: string): string[] {
  if (!isPattern(unit)) return [unit]
  const [start = '', end = ''] = unit.split('*')
  const folders = wants.map((folder) => join(root, folder)).filter((folder) => existsSync(folder))
  const enabled = folders.flatMap((folder) => readdirSync(folder))
  return enabled.filter((name) => name.startsWith(start) && name.endsWith(end)).toSorted()
}

const running = ['active', 'reloading', 'activating']

/** Whether a service should run and does not; accounts' own units need not run. */
export const isDown = ({ unit, state }: ServiceState): boolean =>
  unit !== undefined && state !== undefined && !isPattern(unit) && !running.includes(state)

/** Shows the first failed account unit, or else all of them by their pattern. */
function viewOf(unit: string, units: readonly string[], states: ReadonlyMap<string, string>) {
  const down = units.find((one) => !running.includes(states.get(one) ?? ''))
  const defaults = units.length > 0 ? 'active' : 'inactive'
  if (isPattern(unit) && down === undefined) return { unit, state: defaults }
  const state = states.get(down ?? unit)
  return { unit: down ?? unit, ...(state && { state }) }
}

/** An unknown package makes the program fail, but the others are listed all the same. */
async function versionsOf(run: Run, services: readonly Service[]): Promise<Map<string, string>> {
  const names = [...new Set(services.map((one) => one.package))]
  const format = '$' + '{Package} $' + '{Version}\\n'
  const output = await run('/usr/bin/dpkg-query', ['-W', '-f', format, ...names], { fine: [1] })
  return new Map(
    output
      .split('\n')
      .map((line) => line.split(' ') as [string, string])
      .filter(([, version]) => version),
  )
}

interface UnitStates {
  readonly states: ReadonlyMap<string, string>
  /** Units that systemd does not know. */
  readonly missing: ReadonlySet<string>
}

async function statesOf(run: Run, units: readonly string[]): Promise<UnitStates> {
  const output = await run('/usr/bin/systemctl', ['show', '--property=Id,LoadState,ActiveState', ...units])
  const blocks = output.split('\n\n')
  const missing = blocks.filter((block) => valueIn(block, 'LoadState') === 'not-found')
  return {
    states: new Map(blocks.map((block) => [valueIn(block, 'Id'), valueIn(block, 'ActiveState')])),
    missing: new Set(missing.map((block) => valueIn(block, 'Id'))),
  }
}

const valueIn = (block: string, name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(block)?.[1] ?? ''
