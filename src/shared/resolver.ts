import { readFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'

/** The machine's resolvers; behind systemd's stub those that it asks. */
export function resolversOf(root = ''): string[] {
  const servers = serversIn(`${root}/etc/resolv.conf`)
  return servers.includes('127.0.0.53')
    ? [...servers, ...serversIn(`${root}/run/systemd/resolve/resolv.conf`)]
    : servers
}

function serversIn(file: string): string[] {
  try {
    const lines = readFileSync(file, 'utf8').split('\n')
    return lines.flatMap((line) => /^\s*nameserver\s+([^\s#;%]+)/.exec(line)?.[1]?.toLowerCase() ?? [])
  } catch {
    return []
  }
}

/** Where this machine's name server answers. */
const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address.toLowerCase()))

/**
 * The resolver that is one of these name servers, or this machine's own. They answer from the zones of accounts, so
 * that any account could make names lead here.
 */
export const zoneResolver = (others: readonly string[] = [], root = '', own = ownAddresses()): string | undefined =>
  resolversOf(root).find((server) => ['127.0.0.1', '::1', ...own, ...others].includes(server))
