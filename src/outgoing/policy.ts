import { networkInterfaces } from 'node:os'
import { type Reach, reachableAddress, reachablePort } from './address.ts'

/** Whether a connection to an address and a port may be made. */
export type Allows = (address: string, port: number, reach: Reach) => boolean

/** The relay on the server itself, the one loopback address there is (contract: Webhooks, rule 7). */
export const relayHost = '127.0.0.1'

const ownAddresses = (): Set<string> =>
  new Set(Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address)))

/**
 * The rules for production: what is reachable at all, and of this machine's own addresses only the sites
 * it hosts, never the panel itself.
 */
export function policyOf(panelPorts: () => readonly number[]): Allows {
  return (address, port, reach) => {
    if (!reachableAddress(address, reach) || !reachablePort(port, reach)) return false
    if (!ownAddresses().has(address)) return true
    return reach === 'public' ? port === 443 && !panelPorts().includes(port) : !panelPorts().includes(port)
  }
}
