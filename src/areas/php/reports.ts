import type { HostClient } from '../../host/contract/client.ts'
import type { PhpVersion } from '../../host/contract/driver.ts'
import type { Outside } from '../../runtime/areas/area.ts'
import type { Engine } from '../../runtime/areas/engine.ts'
import { every } from '../../runtime/clock/interval.ts'
import { withinTime } from '../../runtime/operations/host-call.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { localNode } from '../../shared/node-name.ts'
import { minute } from '../../shared/time.ts'
import { installedPhp, storeReport } from './store.ts'

/** What counts as installed where no PHP runs. */
const directoryVersions: readonly PhpVersion[] = ['8.1', '8.2', '8.4'].map((version) => ({
  version,
  default: version === '8.4',
  extensions: ['apcu', 'bcmath', 'curl', 'gd', 'imagick', 'intl', 'mbstring', 'mysqli', 'redis', 'soap', 'zip'],
}))

const POLL_INTERVAL_MS = 10 * minute
/** While a machine has not said what it has. */
const FIRST_POLL_INTERVAL_MS = minute

/** What a host has; undefined if it does not say. */
async function versionsOf(client: HostClient, signal: AbortSignal): Promise<readonly PhpVersion[] | undefined> {
  if (client.kind === 'directory') return directoryVersions
  if (client.status.status === 'unreachable') return undefined
  return (await client.inspect({}, { signal }))?.php
}

/** Asks a host for its versions and stores them. */
async function askForPhp(runtime: Runtime, node: string, client: HostClient, signal: AbortSignal): Promise<void> {
  const reported = await withinTime(runtime.clock, signal, (ending) => versionsOf(client, ending))
  if (reported) await storeReport(runtime.store, node, reported)
}

const fleets = new WeakMap<Runtime, Outside['fleet']>()

/** Asks one node. */
export const askNode = (runtime: Runtime, node: string, signal: AbortSignal): Promise<void> =>
  askForPhp(runtime, node, fleets.get(runtime)!.driverOf(node), signal)

/** A directory's versions are known at once: requests need no host. */
export async function prepareReports(runtime: Runtime, { fleet }: Outside): Promise<void> {
  fleets.set(runtime, fleet)
  const client = fleet.driverOf(localNode)
  if (client.kind === 'directory') await storeReport(runtime.store, localNode, directoryVersions)
}

/** Keeps what the store knows of the versions on all nodes. */
export function watchReports(runtime: Runtime, { fleet }: Outside): Engine {
  const isUnknown = () => installedPhp(runtime.store.db, localNode).length === 0
  const ending = new AbortController()
  const ask = async (node: string, signal: AbortSignal) => {
    try {
      await askForPhp(runtime, node, fleet.driverOf(node), signal)
    } catch (error) {
      if (!signal.aborted) runtime.log.warn({ err: error, node }, 'a node did not say which versions of PHP it has')
    }
  }
  const linked = (node: string): void => void ask(node, ending.signal)
  runtime.signals.on('nodeLinked', linked)
  linked(localNode)
  const end = every(
    runtime,
    () => (isUnknown() ? FIRST_POLL_INTERVAL_MS : POLL_INTERVAL_MS),
    'the versions of PHP could not be read',
    async (signal) => {
      await ask(localNode, signal)
      await Promise.all(fleet.linked.map(([node]) => (node === localNode ? undefined : ask(node, signal))))
    },
  )
  return {
    async stop() {
      runtime.signals.off('nodeLinked', linked)
      ending.abort()
      await end()
    },
  }
}
