import type { Runtime } from '../../../runtime/runtime.ts'
import { getSetting, rootId } from '../../../runtime/settings/settings.ts'
import type { Db } from '../../../store/open.ts'
import { accountById } from '../../accounts/store.ts'
import { brandOf } from './store.ts'

/** Who mail is from: the owner's brand, with its contact to answer to. */
export function brandSender({ db, runtime }: { readonly db: Db; readonly runtime: Runtime }, ownerId: string) {
  const isRoots = ownerId === rootId(db)
  const contact = isRoots ? getSetting(db, 'contact_email') : accountById(db, ownerId)?.contact_email
  return { fromName: brandOf(db, ownerId).name ?? runtime.hostname, replyTo: contact || undefined }
}
