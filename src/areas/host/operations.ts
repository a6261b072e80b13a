import type * as declared from '../../contract/host.ts'
import type { HostClient } from '../../host/client.ts'
import type { Handler } from '../../runtime/run.ts'
import type { Runtime } from '../../runtime/runtime.ts'

const hosts = new WeakMap<Runtime, HostClient>()

/** Lets the operations know the host of a panel. */
export const rememberHost = (runtime: Runtime, host: HostClient): void => void hosts.set(runtime, host)

/** The host of a panel. */
export const hostOf = (runtime: Runtime): HostClient => hosts.get(runtime)!

const getHost: Handler<typeof declared.getHost> = {
  handle({ runtime }) {
    const { kind, status } = hostOf(runtime)
    return { driver: kind, agent: status }
  },
}

export const hostOperations = { getHost }
