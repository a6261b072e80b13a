import type { FirewallReport } from '../../host/contract/driver.ts'
import { type FirewallRule, isReachable, portsOf, type ServicePorts } from '../../shared/firewall.ts'
import { pendingIn, rulesWith, toRule } from './store.ts'
import type { FirewallRow } from './tables.ts'

/** The firewall as root sees it: ports by service, then what belongs to none. */
export function viewOf(rows: readonly FirewallRow[], seen: FirewallReport) {
  const { isSetUp, services, foreign } = seen
  const rules = isSetUp ? rulesWith(rows) : []
  const pending = pendingIn(rows)
  const listening = seen.listening
    .filter(({ port, proto }) => !isOfService(port, proto, services))
    .map(({ port, proto, address, program }) => ({
      ...{ port, proto, address },
      ...(program !== undefined && { program }),
      open: !isSetUp || isOpenTo(port, proto, { rules, services }),
    }))
  return {
    enabled: isSetUp,
    ...(pending && { revert_at: pending.revert_at! }),
    ports: services.map((one) => portRow(one, rules, services)),
    rules: rows.map(toRule),
    listening,
    foreign: foreign.map(({ chain, policy, rules: count }) => ({ chain, policy, rules: count })),
  }
}

const isOfService = (port: number, proto: string, services: readonly ServicePorts[]): boolean =>
  services.some((one) => one.proto === proto && one.port <= port && port <= (one.last ?? one.port))

interface Rules {
  readonly rules: readonly FirewallRule[]
  readonly services: readonly ServicePorts[]
}

/** Reachability is about TCP: a rule for UDP is as good as one for TCP. */
function isOpenTo(port: number, proto: string, { rules, services }: Rules): boolean {
  const alike = <T extends { readonly proto: string }>(all: readonly T[]): T[] =>
    all.filter((one) => one.proto === proto).map((one) => ({ ...one, proto: 'tcp' }))
  return isReachable(port, alike(rules), alike(services))
}

function portRow(own: ServicePorts, rules: readonly FirewallRule[], services: readonly ServicePorts[]) {
  const { service, port, last = port, proto } = own
  const about = rules.filter(
    (rule) => rule.proto === proto && portsOf(rule, services).some((one) => one.port <= last && port <= one.last),
  )
  const isOpen = isOpenTo(port, proto, { rules, services })
  const access = !isOpen ? ('none' as const) : about.some(limits) ? ('some' as const) : ('all' as const)
  return { ports: last === port ? String(port) : `${port}-${last}`, proto, service, access }
}

/** A rule that lets in is one more way in; one that denies leaves some out. */
const limits = ({ action }: FirewallRule): boolean => action === 'deny'
