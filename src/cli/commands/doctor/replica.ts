import { replicaOf } from '../../../shared/replica.ts'
import { stateOf } from '../replica/state.ts'
import { bad, type Check, ok } from './check.ts'

/** Checks the store's replica, if one was set up. */
export async function replicaChecks(dataDir: string): Promise<Check[]> {
  const replica = replicaOf(dataDir)
  if (!replica) return []
  const { state, message } = await stateOf(dataDir, replica)
  if (state === 'running') return [ok('replica', message)]
  return [bad('replica', message, 'systemctl restart panel-replica; journalctl -u panel-replica -n 50')]
}
