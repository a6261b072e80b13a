import type { Context } from '../../runtime/operations/context.ts'
import { getSetting } from '../../runtime/settings/settings.ts'
import { accountById } from '../accounts/store.ts'
import { brandOf } from '../resellers/brand/store.ts'
import { type Owner, rootId } from './channels/store.ts'

type Sender = Pick<Context, 'db' | 'runtime'>

/** Who mail is from: the brand that the owner sees, with the reseller's contact to answer to. */
export function senderFor({ db, runtime }: Sender, { owner_id, account_id }: Owner) {
  const root = rootId(db)
  const reseller = account_id === null ? owner_id : (accountById(db, account_id)?.owner_id ?? root)
  const contact = reseller === root ? getSetting(db, 'contact_email') : accountById(db, reseller)?.contact_email
  return { fromName: brandOf(db, reseller).name ?? runtime.hostname, replyTo: contact || undefined }
}
