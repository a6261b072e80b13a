import type { HostClient } from '../../host/client.ts'
import type { Runtime } from '../../runtime/runtime.ts'

const hosts = new WeakMap<Runtime, HostClient>()

/** Lets the operations know the host of a panel. */
export const rememberHost = (runtime: Runtime, host: HostClient): void => void hosts.set(runtime, host)

/** The host of a panel. */
export const hostOf = (runtime: Runtime): HostClient => hosts.get(runtime)!
