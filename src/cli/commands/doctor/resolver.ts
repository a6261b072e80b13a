import { zoneResolver } from '../../../shared/resolver.ts'
import { bad, type Check, ok } from './check.ts'

/** On a host with a name server: whether the machine asks others. `others` are the addresses of its secondaries. */
export function resolverCheck(others: readonly string[], root?: string, own?: readonly string[]): Check {
  const server = zoneResolver(others, root, own && [...own])
  if (server === undefined) return ok('resolver', 'Names are looked up at resolvers of others.')
  const message = `/etc/resolv.conf leads to ${server}, which answers from the zones of accounts.`
  return bad('resolver', message, "editor /etc/resolv.conf, and name your provider's resolver")
}
