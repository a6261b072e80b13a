import { readdirSync } from 'node:fs'
import type { Run } from '../commands.ts'
import { allServices } from './sockets.ts'

const systemctl = '/usr/bin/systemctl'

/** So many connections must be free again for root, panel and accounts with few. */
const MIN_FREED_CONNECTIONS = 200

interface Proxy {
  /** Its service. */
  readonly unit: string
  readonly connections: number
}

/** Each connection through a proxy takes two of its sockets. */
function connectionsOf(pid: string): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length / 2
  } catch {
    return 0
  }
}

async function runningProxies(run: Run, count: (pid: string) => number): Promise<Proxy[]> {
  const output = await run(systemctl, ['show', '--property=Id,MainPID', allServices])
  return output.split('\n\n').flatMap((block) => {
    const unit = /^Id=(.+)$/m.exec(block)?.[1]
    const pid = /^MainPID=([1-9]\d*)$/m.exec(block)?.[1]
    return unit && pid ? [{ unit, connections: count(pid) }] : []
  })
}

/** The proxies with the most connections, until enough would be free. */
function busiest(proxies: readonly Proxy[]): string[] {
  let freed = 0
  return proxies
    .toSorted((a, b) => b.connections - a.connections)
    .filter(({ connections }) => {
      const isNeeded = freed < MIN_FREED_CONNECTIONS
      freed += connections
      return isNeeded
    })
    .map(({ unit }) => unit)
}

/**
 * Accounts together may take all connections, and root's reserved one; without root none of them is suspended. Ends the
 * connections of those that have the most. Their sockets go on.
 */
export async function disconnectBusiest(run: Run, count = connectionsOf): Promise<void> {
  const units = busiest(await runningProxies(run, count))
  if (units.length > 0) await run(systemctl, ['stop', ...units], { fine: [1, 5] })
}

/** Ends the connections of all accounts. */
export const disconnectAll = async (run: Run): Promise<void> =>
  void (await run(systemctl, ['stop', allServices], { fine: [1, 5] }))
