import type { HostClient } from '../client.ts'
import { HostError } from '../driver.ts'

/** The host of a node that is disconnected, or gone for good: it refuses every request, with a reason. */
export function awayHost(reason: string, code: 'away' | 'lost' = 'away'): HostClient {
  const refuse = () => Promise.reject(new HostError('stage', reason, code))
  const files = { act: refuse, read: refuse, readLog: refuse, write: refuse, append: refuse }
  const known = { status: { status: 'unreachable', reason }, kind: 'debian', files: () => files, stay: () => {} }
  return new Proxy(known, {
    get: (target, name) => target[name as keyof typeof known] ?? refuse,
  }) as unknown as HostClient
}
