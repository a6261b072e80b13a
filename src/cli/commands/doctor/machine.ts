import { bad, type Check, ok, warn } from './check.ts'

/** As `GET /host` shows it; a directory has neither services nor limits. */
export interface MachineState {
  readonly services?: readonly { readonly name: string; readonly unit?: string; readonly state?: string }[]
  readonly misconfigured?: readonly { readonly name: string; readonly check: string; readonly reason: string }[]
  readonly unenforced?: readonly { readonly kind: string; readonly reason: string }[]
}

/** The services of a Debian host, and limits that it cannot enforce. */
export const machineChecks = ({ services, misconfigured = [], unenforced }: MachineState = {}): Check[] => [
  ...(services ? [serviceCheck(services)] : []),
  ...misconfigured.map(configuration),
  ...limits(unenforced),
]

/** What a service's own checker refuses keeps it from starting, and changes of the panel from taking effect. */
const configuration = ({ name, check, reason }: NonNullable<MachineState['misconfigured']>[number]): Check =>
  bad(
    'configuration',
    `${name} would not start with its configuration as it is: ${reason.replace(/\.$/, '')}.`,
    `correct the file; then: ${check}`,
  )

function serviceCheck(all: NonNullable<MachineState['services']>): Check {
  const units = all.filter(({ unit }) => unit !== undefined)
  const down = units.filter(({ unit, state }) => state !== 'active' && !isUnused(unit, state))
  const [first] = down
  if (!first) return ok('services', `All ${units.length} services of the host run.`)
  const named = down.map(({ unit, state }) => `${unit} is ${state ?? 'not known to systemd'}`)
  return bad('services', `${named.join(', ')}.`, `systemctl status ${first.unit}`)
}

/** The units' pattern is shown as inactive if no account has such a unit. */
const isUnused = (unit = '', state = ''): boolean => unit.includes('*') && state === 'inactive'

function limits(unenforced: MachineState['unenforced'] = []): Check[] {
  if (unenforced.length === 0) return []
  const reasons = [...new Set(unenforced.map(({ reason }) => reason))]
  const kinds = unenforced.map(({ kind }) => kind).join(', ')
  return [
    warn(
      'limits',
      `This machine cannot enforce every limit (${kinds}). ${reasons.join(' ')}`,
      'panel host status --output json',
    ),
  ]
}
