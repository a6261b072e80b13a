import type { ServiceState } from '../../inspection.ts'
import type { Step } from '../../setup/step.ts'
import { steps } from '../../setup/steps/index.ts'
import type { Run } from '../commands.ts'
import type { Suite } from '../suite.ts'

interface Service {
  readonly name: string
  readonly package: string
  readonly unit?: string
}

const own: readonly Service[] = [
  { name: 'server', package: 'panel', unit: 'panel.service' },
  { name: 'agent', package: 'panel', unit: 'panel-host.service' },
]

/** What `panel host setup` installs: the first package of a step is its main one. */
export function servicesOf(suite: Suite, listed: readonly Step[] = steps): Service[] {
  const hosted = listed.flatMap(({ name, packages, units }) => {
    const [main] = packages(suite)
    const all = units?.(suite) ?? []
    if (main === undefined || all.length === 0) return []
    const unit = all.find(({ run }) => run === true)?.name
    return [{ name, package: main, ...(unit !== undefined && { unit }) }]
  })
  return [...own, ...hosted]
}

/** The services of the machine, those that it does without left out. */
export async function inspectServices(run: Run, suite: Suite): Promise<ServiceState[]> {
  const services = servicesOf(suite)
  const [versions, states] = await Promise.all([versionsOf(run, services), statesOf(run, services)])
  return services.flatMap(({ name, package: main, unit }) => {
    const [version, state] = [versions.get(main), unit && states.get(unit)]
    if (version === undefined) return []
    return [{ name, ...(unit && { unit }), ...(state && { state }), version }]
  })
}

/** A package that is not known makes the program fail, and the others are told all the same. */
async function versionsOf(run: Run, services: readonly Service[]): Promise<Map<string, string>> {
  const names = [...new Set(services.map((one) => one.package))]
  const format = '$' + '{Package} $' + '{Version}\\n'
  const told = await run('/usr/bin/dpkg-query', ['-W', '-f', format, ...names], { fine: [1] })
  return new Map(
    told
      .split('\n')
      .map((line) => line.split(' ') as [string, string])
      .filter(([, version]) => version),
  )
}

async function statesOf(run: Run, services: readonly Service[]): Promise<Map<string, string>> {
  const units = services.flatMap(({ unit }) => unit ?? [])
  const told = await run('/usr/bin/systemctl', ['show', '--property=Id,ActiveState', ...units])
  return new Map(told.split('\n\n').map((block) => [valueIn(block, 'Id'), valueIn(block, 'ActiveState')]))
}

const valueIn = (block: string, name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(block)?.[1] ?? ''
