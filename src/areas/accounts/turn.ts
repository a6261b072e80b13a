import type { HostClient } from '../../host/client.ts'
import { KeyedLock } from '../../shared/lock.ts'

const locks = new WeakMap<HostClient, KeyedLock>()

/**
 * Jobs of an account may run concurrently. What one reads from the store reaches the host before another reads, so that
 * the host never ends up with the older of two states.
 */
export function inTurn<T>(client: HostClient, accountId: string, work: () => Promise<T>): Promise<T> {
  const lock = locks.get(client) ?? new KeyedLock()
  locks.set(client, lock)
  return lock.run(accountId, work)
}
