import type { Context } from '../../runtime/operations/context.ts'
import { rootId } from '../../runtime/settings/settings.ts'
import { accountById } from '../accounts/store.ts'
import { brandSender } from '../resellers/brand/sender.ts'
import type { Owner } from './channels/store.ts'

/** Who a channel's mail is from: the brand that the owner sees, with the reseller's contact to answer to. */
export function senderFor(ctx: Pick<Context, 'db' | 'runtime'>, { owner_id, account_id }: Owner) {
  const ofAccount = () => accountById(ctx.db, account_id!)?.owner_id ?? rootId(ctx.db)
  return brandSender(ctx, account_id === null ? owner_id : ofAccount())
}
