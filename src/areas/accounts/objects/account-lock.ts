import type { HostClient } from '../../../host/contract/client.ts'
import type { RunningJob } from '../../../runtime/jobs/job-kind.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { KeyedLock } from '../../../shared/lock.ts'

/** How long an urgent job waits for the account's other work; the host refuses the older state of what it overtakes. */
const URGENT_TURN_TIMEOUT_MS = 10_000

const locks = new WeakMap<HostClient, KeyedLock>()

/**
 * Jobs of an account may run concurrently. What one reads from the store reaches the host before another reads, so that
 * the host never ends up with the older of two states.
 */
export async function withAccountLock<T>(
  { client, runtime }: { readonly client: HostClient; readonly runtime: Runtime },
  accountId: string,
  { row }: Pick<RunningJob, 'row'>,
  work: () => Promise<T>,
): Promise<T> {
  const lock = locks.get(client) ?? new KeyedLock()
  locks.set(client, lock)
  if (!row.urgent) return lock.run(accountId, work)
  const { over, cancel } = timeout(runtime, URGENT_TURN_TIMEOUT_MS)
  try {
    return await lock.run(accountId, work, over)
  } finally {
    cancel()
  }
}

function timeout({ clock }: Runtime, ms: number): { readonly over: Promise<void>; readonly cancel: () => void } {
  let cancel = (): void => {}
  const over = new Promise<void>((resolve) => {
    cancel = clock.after(ms, resolve)
  })
  return { over, cancel }
}
