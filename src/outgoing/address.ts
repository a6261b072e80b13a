import { BlockList, isIP } from 'node:net'

/** How far a connection may reach: accounts' webhooks only public addresses, the server's also private ones. */
export type Reach = 'public' | 'private'

const listOf = (family: 'ipv4' | 'ipv6', ranges: string): BlockList => {
  const list = new BlockList()
  for (const range of ranges.trim().split(/\s+/)) {
    const [network, bits] = range.split('/') as [string, string]
    list.addSubnet(network, Number(bits), family)
  }
  return list
}

/** IPv4 that is never reachable: this host, link-local, test nets, multicast, reserved, cloud metadata. */
const never4 = listOf(
  'ipv4',
  `0.0.0.0/8 127.0.0.0/8 169.254.0.0/16 192.0.0.0/24 192.0.2.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24
   192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
   100.100.100.200/32 168.63.129.16/32`,
)
const private4 = listOf('ipv4', '10.0.0.0/8 100.64.0.0/10 172.16.0.0/12 192.168.0.0/16')

/** IPv6 is allow-listed: global unicast, except what tunnels to IPv4 or has another meaning. */
const global6 = listOf('ipv6', '2000::/3')
const carved6 = listOf('ipv6', '2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3ffe::/16 3fff::/20')
const private6 = listOf('ipv6', 'fc00::/7')
const metadata6 = listOf('ipv6', 'fd00:ec2::/32')

/** Whether an address may be connected to; false for anything else. */
export function reachableAddress(address: string, reach: Reach): boolean {
  const family = isIP(address)
  if (family === 4) return reachable4(address, reach)
  return family === 6 && !address.includes('%') && reachable6(address, reach)
}

const reachable4 = (address: string, reach: Reach): boolean =>
  !never4.check(address, 'ipv4') && (reach === 'private' || !private4.check(address, 'ipv4'))

function reachable6(address: string, reach: Reach): boolean {
  if (global6.check(address, 'ipv6')) return !carved6.check(address, 'ipv6')
  return reach === 'private' && private6.check(address, 'ipv6') && !metadata6.check(address, 'ipv6')
}

/** Ports of other protocols, where a request could be read as a command. */
const otherProtocols = new Set([
  1433, 1521, 2049, 2375, 2376, 3306, 3389, 5432, 5672, 5900, 5984, 6000, 6379, 6380, 9042, 9200, 9300, 11211, 27017,
])

/** Whether a port may be connected to: HTTPS, and from 1024 on those not known for another protocol. */
export const reachablePort = (port: number, reach: Reach): boolean =>
  reach === 'private' ? port > 0 : port === 443 || (port >= 1024 && !otherProtocols.has(port))
