import type { Db } from '../../../store/open.ts'
import { zoneHolding } from '../../dns/challenge.ts'
import type { Challenge } from './order.ts'

const isWildcard = (name: string): boolean => name.startsWith('*.')

/** Why an account's names cannot be proven by a challenge type, undefined if they can. */
export function challengeProblem(
  db: Db,
  accountId: string,
  challenge: Challenge,
  names: readonly string[],
): string | undefined {
  if (challenge === 'http-01') return names.some(isWildcard) ? 'must be dns-01 for a wildcard' : undefined
  const outside = names.find((name) => !zoneHolding(db, accountId, name.replace(/^\*\./, '')))
  return outside === undefined ? undefined : `cannot be dns-01: ${outside} is in no zone here`
}
