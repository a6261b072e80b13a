import { unappliedOn } from './apply.ts'
import type { Own } from './own.ts'
import { isInProgress, queue } from './queue.ts'

/** Updates a host that is out of date, unless the same update was just tried; returns what it enqueued. */
export async function reapply(own: Own, tried?: string): Promise<string | undefined> {
  if (own.client.kind !== 'debian' || isInProgress(own)) return undefined
  const unapplied = await unappliedOn(own)
  if (unapplied === undefined || unapplied === tried) return undefined
  await queue(own, { kind: 'server.apply' })
  return unapplied
}
