import { networkInterfaces } from 'node:os'
import { type Reach, reachableAddress, reachablePort } from './address.ts'

export type Allows = (address: string, port: number, reach: Reach) => boolean

/** The relay on the server itself, the only allowed loopback address (contract: Webhooks, rule 7). */
export const relayHost = '127.0.0.1'

const ownAddresses = (): Set<string> =>
  new Set(Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address)))

/**
 * The production policy: what is reachable at all and, of this machine's own addresses, only the hosted sites, never
 * the panel itself.
 */
export function policyOf(panelPorts: () => readonly number[]): Allows {
  return (address, port, reach) => {
    if (!reachableAddress(address, reach) || !reachablePort(port, reach)) return false
    if (!ownAddresses().has(address)) return true
    return reach === 'public' ? port === 443 && !panelPorts().includes(port) : !panelPorts().includes(port)
  }
}
