import { type PublicKey, readPublicKey } from '../../ssh/key/read.ts'
import { type Planning, skips } from './planning.ts'

export interface PlannedKey {
  readonly item: string
  readonly key: PublicKey
}

/** Keys that open the account; SSH stays off until it is turned on. */
export function planSsh(at: Planning): PlannedKey[] {
  const { source, report } = at
  if (skips(at, 'ssh')) return []
  return source.sshKeys.flatMap((text, n) => {
    const item = text.split(/\s+/)[2] ?? `key ${n + 1}`
    try {
      const key = readPublicKey(text)
      report.add('ssh', item, 'as_is', 'SSH key; SSH stays off until it is turned on')
      return [{ item, key }]
    } catch (error) {
      report.add('ssh', item, 'not_possible', (error as Error).message)
      return []
    }
  })
}
