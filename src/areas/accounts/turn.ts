import type { HostClient } from '../../host/client.ts'
import { KeyedLock } from '../../shared/lock.ts'

const locks = new WeakMap<HostClient, KeyedLock>()

/**
 * Jobs of an account may run beside one another. What one reads of the store for the host reaches the host before
 * another reads, so that the host is never left with the older of two states.
 */
export function inTurn<T>(client: HostClient, accountId: string, work: () => Promise<T>): Promise<T> {
  const lock = locks.get(client) ?? new KeyedLock()
  locks.set(client, lock)
  return lock.run(accountId, work)
}
