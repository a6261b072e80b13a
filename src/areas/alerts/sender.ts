import type { Context } from '../../runtime/operations/context.ts'
import { rootId } from '../../runtime/settings/settings.ts'
import type { Db } from '../../store/open.ts'
import { accountById } from '../accounts/store.ts'
import { SERVER, type Share, shareOf } from '../mailer/shares.ts'
import { brandSender } from '../resellers/brand/sender.ts'
import type { Owner } from './channels/store.ts'

const ownerOf = (db: Db, accountId: string): string => accountById(db, accountId)?.owner_id ?? rootId(db)

/** Who a channel's mail is from: the brand that the owner sees, with the reseller's contact to answer to. */
export const senderFor = (ctx: Pick<Context, 'db' | 'runtime'>, { owner_id, account_id }: Owner) =>
  brandSender(ctx, account_id === null ? owner_id : ownerOf(ctx.db, account_id))

/** Whose limits a channel's messages count towards; `reseller` is the owner of its account, if known. */
export function shareFor(db: Db, { owner_id, account_id }: Owner, reseller?: string | null): Share {
  if (account_id === null) return owner_id === rootId(db) ? SERVER : owner_id
  return shareOf(db, { id: account_id, owner_id: reseller ?? ownerOf(db, account_id) })
}
