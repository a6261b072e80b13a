import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'
import type { Runtime } from '../../runtime/runtime.ts'
import { type IpRow, ips } from './tables.ts'

/** The address that accounts get unless they name another. */
export function makeMainIp(runtime: Runtime): void {
  const made = { id: runtime.id(), created_at: runtime.clock.now() }
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  runtime.store.db
    .insert(ips)
    .values({ ...made, ...firstAddress(interfaces), kind: 'shared', main: true })
    .run()
}

type Interface = Pick<NetworkInterfaceInfo, 'address' | 'family' | 'internal'>

/** An IPv6 address only where there is no IPv4 one. */
export function firstAddress(interfaces: readonly Interface[]): Pick<IpRow, 'address' | 'version'> {
  const outside = interfaces.filter(({ internal }) => !internal)
  const v4 = outside.find(({ family }) => family === 'IPv4')
  const v6 = outside.find(({ family, address }) => family === 'IPv6' && isGlobal(address))
  if (v4 || !v6) return { address: v4?.address ?? '127.0.0.1', version: 4 }
  return { address: v6.address, version: 6 }
}

/** Others reach no link-local address (fe80::/10). */
const isGlobal = (address: string): boolean => !/^fe[89ab]/i.test(address)
