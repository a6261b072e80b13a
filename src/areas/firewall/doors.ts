import { and, ne } from 'drizzle-orm'
import { invalid, Problem } from '../../contract/problem.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { getSetting } from '../../runtime/settings/settings.ts'
import { type FirewallRule, firewallServices, isReachable, type ServicePorts } from '../../shared/firewall.ts'
import { localNode } from '../../shared/node-name.ts'
import { nodes } from '../nodes/tables.ts'

const FRONT_PORT = 443

/** Refuses rules that leave no way to the panel, or none for nodes to it. */
export function refuseClosed(
  ctx: Context,
  rules: readonly FirewallRule[],
  { services, field }: { readonly services: readonly ServicePorts[]; readonly field?: string },
): void {
  const isOpen = (port: number): boolean => isReachable(port, rules, services)
  const panel = portOf('panel', services)
  const doors = [panel, ...(getSetting(ctx.db, 'front') ? [FRONT_PORT] : [])]
  if (!doors.some(isOpen)) throw refusal(field, `the panel could no longer be reached on port ${doors.join(' or ')}`)
  if (hasNodes(ctx) && !isOpen(portOf('nodes', services)))
    throw refusal(field, `nodes could no longer reach the panel on port ${portOf('nodes', services)}`)
}

const refusal = (field: string | undefined, why: string): Problem =>
  field ? invalid(field, why) : new Problem('validation', `Without this rule ${why}.`)

const portOf = (name: 'panel' | 'nodes', services: readonly ServicePorts[]): number =>
  services.find(({ service }) => service === name)?.port ?? firewallServices[name][0]

const hasNodes = ({ db }: Context): boolean =>
  db
    .select({ id: nodes.id })
    .from(nodes)
    .where(and(ne(nodes.name, localNode), ne(nodes.state, 'retired')))
    .limit(1)
    .get() !== undefined
