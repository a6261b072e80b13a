import type { AccountUsage } from '../../host/contract/driver.ts'
import type { Store } from '../../store/open.ts'
import { accountById } from '../accounts/store.ts'
import { domainById } from '../domains/store.ts'
import { mailboxesOf, setMailbox } from './mailboxes/store.ts'
import { setEmailAccount } from './spam.ts'

/** Stores the measurements of an account's mail. */
export function keepMail(store: Store, usage: AccountUsage, now: number): void {
  keepSent(store, usage, now)
  keepMailboxes(store, usage, now)
}

function keepSent({ db }: Store, { id, sentThisHour }: AccountUsage, now: number): void {
  if (sentThisHour === undefined) return
  const account = accountById(db, id)
  if (account) setEmailAccount({ db }, account, { sent_this_hour: sentThisHour, measured_at: now })
}

function keepMailboxes(store: Store, { id, mailboxes }: AccountUsage, now: number): void {
  if (!mailboxes) return
  const measured = new Map(mailboxes.map((one) => [`${one.local}@${one.domain}`, one]))
  for (const row of mailboxesOf.all(store.db, id)) {
    const { bytes = 0, messages = 0 } = measured.get(`${row.local}@${domainById(store.db, row.domain_id)!.name}`) ?? {}
    setMailbox({ store }, row.id, { used_bytes: bytes, messages, measured_at: now })
  }
}
