import { untoldTo } from './apply.ts'
import type { Own } from './own.ts'
import { isUnderWay, queue } from './queue.ts'

/** Updates a host that is out of date, unless the same update was just tried; returns what it enqueued. */
export async function tell(own: Own, tried?: string): Promise<string | undefined> {
  if (own.client.kind !== 'debian' || isUnderWay(own)) return undefined
  const untold = await untoldTo(own)
  if (untold === undefined || untold === tried) return undefined
  await queue(own, { kind: 'server.apply' })
  return untold
}
