import type { CountName } from '../../contract/accounts.ts'
import type { DomainKind } from '../../contract/domains.ts'
import { withoutFeature } from '../../contract/problem.ts'
import type { Context } from '../../runtime/operations/context.ts'

/** The count of each kind of domain, which is also the feature it needs. */
export const counts = {
  addon: 'addon_domains',
  sub: 'sub_domains',
  parked: 'parked_domains',
} as const satisfies Record<Exclude<DomainKind, 'main'>, CountName>

/** 403 `feature-disabled` if the account may not have domains of this kind. */
export function refuseWithoutFeature(ctx: Context, account: string, kind: DomainKind): void {
  if (kind === 'main' || ctx.runtime.ports.hasFeature(ctx, account, counts[kind])) return
  throw withoutFeature([counts[kind]])
}
