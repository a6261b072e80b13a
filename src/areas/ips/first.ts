import { networkInterfaces } from 'node:os'
import type { Runtime } from '../../runtime/runtime.ts'
import { ips } from './tables.ts'

/** The address that accounts get unless they name another. */
export function makeMainIp(runtime: Runtime): void {
  const made = { id: runtime.id(), created_at: runtime.clock.now() }
  runtime.store.db
    .insert(ips)
    .values({ ...made, address: firstAddress(), version: 4, kind: 'shared', main: true })
    .run()
}

function firstAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1'
}
