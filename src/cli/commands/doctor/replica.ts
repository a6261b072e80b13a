import { statSync } from 'node:fs'
import { join } from 'node:path'
import { replicaOf } from '../../../shared/replica.ts'
import { stateOf } from '../replica/state.ts'
import { bad, type Check, ok, size } from './check.ts'

/** Beyond this the replicator does not empty the log any more. */
const longLog = 256 * 1_000_000

/** The second copy of the store, where one was set up. */
export async function replicaChecks(dataDir: string): Promise<Check[]> {
  const replica = replicaOf(dataDir)
  if (!replica) return []
  const { state, message } = await stateOf(dataDir, replica)
  if (state === 'running') return [logCheck(dataDir) ?? ok('replica', message)]
  return [bad('replica', message, 'systemctl restart panel-replica; journalctl -u panel-replica -n 50')]
}

function logCheck(dataDir: string): Check | undefined {
  const bytes = statSync(join(dataDir, 'panel.db-wal'), { throwIfNoEntry: false })?.size ?? 0
  if (bytes <= longLog) return undefined
  const message = `The write-ahead log of the store takes ${size(bytes)}: the replicator does not empty it.`
  return bad('replica', message, 'systemctl restart panel-replica; journalctl -u panel-replica -n 50')
}
