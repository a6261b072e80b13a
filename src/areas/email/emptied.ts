import { eq } from 'drizzle-orm'
import type { Context } from '../../runtime/operations/context.ts'
import type { DomainRow } from '../domains/tables.ts'
import { forwarders, mailboxes } from './tables.ts'

/** A claimed domain's mail: forwarders go at once; the host moves mailboxes to the trash before their rows go. */
export function emptyMail({ db }: Context, { id }: DomainRow): void {
  db.delete(forwarders).where(eq(forwarders.domain_id, id)).run()
  db.update(mailboxes).set({ status: 'deleting' }).where(eq(mailboxes.domain_id, id)).run()
}
