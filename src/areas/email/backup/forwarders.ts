import { Problem } from '../../../contract/problem.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Db } from '../../../store/open.ts'
import type { FullAccount } from '../../accounts/store.ts'
import { namesOf } from '../../domains/renamed.ts'
import { routeProblem } from '../forwarders/destinations.ts'
import { MAX_FORWARDERS } from '../forwarders/operations.ts'
import { addForwarder, forwarderAt, forwardersOf, setForwarder } from '../forwarders/store.ts'
import { refuseBeingDeleted } from '../objects.ts'
import type { ForwarderRow } from '../tables.ts'
import { addressNow, domainAt, type NameNow } from './at.ts'

export interface SavedForwarder extends Pick<ForwarderRow, 'local' | 'destinations' | 'keep_copy'> {
  readonly domain: string
}

export function savedForwarders(db: Db, account: string): SavedForwarder[] {
  const names = namesOf(db, account)
  return forwardersOf.all(db, account).flatMap(({ domain_id, local, destinations, keep_copy, status }) => {
    const domain = names.get(domain_id)
    return domain === undefined || status === 'deleting' ? [] : [{ domain, local, destinations, keep_copy }]
  })
}

/** Inserts all before checking any route, since one may lead through another. */
export function restoreForwarders(
  ctx: Context,
  account: FullAccount,
  all: readonly SavedForwarder[],
  nameNow: NameNow,
): readonly string[] {
  const now = all.map((saved) => ({
    ...saved,
    domain: nameNow(saved.domain),
    destinations: saved.destinations.map((address) => addressNow(nameNow, address)),
  }))
  for (const saved of now) restoreOne(ctx, account.id, saved)
  for (const { local, domain, destinations, keep_copy } of now) {
    const address = `${local}@${domain}`
    const problem = routeProblem(ctx, account.id, address, { destinations, keepCopy: keep_copy })
    if (problem) throw new Problem('validation', `The forwarder ${address} ${problem}.`)
  }
  return []
}

function restoreOne(
  ctx: Context,
  account_id: string,
  { domain, local, destinations, keep_copy }: SavedForwarder,
): void {
  const at = { domain_id: domainAt(ctx, account_id, domain).id, local }
  const there = forwarderAt(ctx.db, at)
  if (there) {
    refuseBeingDeleted(`${local}@${domain}`, there)
    return setForwarder(ctx, there.id, { destinations, keep_copy })
  }
  if (forwardersOf.count(ctx.db, account_id) >= MAX_FORWARDERS)
    throw new Problem('too-many', `An account has at most ${MAX_FORWARDERS} forwarders.`)
  const made = { id: ctx.id(), account_id, ...at, destinations, keep_copy }
  addForwarder(ctx, { ...made, status: 'active', created_at: ctx.now })
}
