import type { AccountUsage } from '../../host/driver.ts'
import type { Store } from '../../store/open.ts'
import { domainById } from '../domains/store.ts'
import { mailboxesOf, setMailbox } from './mailboxes/store.ts'

/** Keeps what was measured of each mailbox. */
export function keepMailboxes(store: Store, { id, mailboxes }: AccountUsage, now: number): void {
  if (!mailboxes) return
  const measured = new Map(mailboxes.map((one) => [`${one.local}@${one.domain}`, one]))
  for (const row of mailboxesOf.all(store.db, id)) {
    const { bytes = 0, messages = 0 } = measured.get(`${row.local}@${domainById(store.db, row.domain_id)!.name}`) ?? {}
    setMailbox({ store }, row.id, { used_bytes: bytes, messages, measured_at: now })
  }
}
