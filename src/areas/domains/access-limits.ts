import { Problem } from '../../contract/problem.ts'
import type { Db } from '../../store/open.ts'
import { servedDomains } from './store.ts'
import type { StoredAccessRule } from './tables.ts'

/** Of all sites of an account: nginx takes 100 KB of memory for a rule and 8 KB for a network, twice while it reloads. */
export const MAX_RULES_PER_ACCOUNT = 200
const MAX_NETWORKS_PER_ACCOUNT = 1_000

/** 409 `limit-reached` if the access rules of an account's sites are more than nginx can have of each account. */
export function refuseManyAccessRules(db: Db, account: string): void {
  const all = accessRulesOf(db, account)
  if (all.length > MAX_RULES_PER_ACCOUNT)
    throw new Problem('limit-reached', `The sites of an account have at most ${MAX_RULES_PER_ACCOUNT} access rules.`)
  const networks = all.reduce((sum, { allow = [], deny = [] }) => sum + allow.length + deny.length, 0)
  if (networks > MAX_NETWORKS_PER_ACCOUNT)
    throw new Problem(
      'limit-reached',
      `The access rules of an account's sites have at most ${MAX_NETWORKS_PER_ACCOUNT} networks; these would be ${networks}.`,
    )
}

/** An alias domain has its parent's once more. */
function accessRulesOf(db: Db, account: string): readonly StoredAccessRule[] {
  const all = servedDomains(db, account)
  const byId = new Map(all.map((domain) => [domain.id, domain]))
  const sites = all.map((domain) => (domain.kind === 'parked' ? byId.get(domain.parent_id!) : domain))
  return sites.flatMap((site) => site?.rules.access ?? [])
}
