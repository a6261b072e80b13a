import { eq, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { Mailbox } from '../../../contract/email.ts'
import type { Context, Writes } from '../../../runtime/operations/context.ts'
import { present } from '../../../runtime/operations/list.ts'
import type { Db } from '../../../store/open.ts'
import { prepared } from '../../../store/prepared.ts'
import { insertInto, update } from '../../../store/rows.ts'
import { objectsOf } from '../../accounts/objects/objects.ts'
import { domainById } from '../../domains/store.ts'
import { type Addressed, addressIn } from '../address.ts'
import { type AutoresponderRow, autoresponders, type MailboxRow, mailboxes } from '../tables.ts'

export const mailboxesOf = objectsOf(mailboxes, { noun: 'mailbox', name: addressIn(mailboxes) })

const insert = insertInto(mailboxes)
const write = update(mailboxes, 'id = ?')

export const addMailbox = ({ store }: Writes, row: MailboxRow): void => void insert(store.sqlite, row)
export const setMailbox = ({ store }: Writes, id: string, values: Partial<MailboxRow>): void =>
  void write(store.sqlite, values, id)

const queries = prepared((db: Db) => ({
  byId: db
    .select()
    .from(mailboxes)
    .where(eq(mailboxes.id, sql.placeholder('id')))
    .prepare(),
  at: db
    .select()
    .from(mailboxes)
    .where(
      sql`${mailboxes.domain_id} = ${sql.placeholder('domain_id')} AND ${mailboxes.local} = ${sql.placeholder('local')}`,
    )
    .prepare(),
  autoresponder: db
    .select()
    .from(autoresponders)
    .where(eq(autoresponders.mailbox_id, sql.placeholder('id')))
    .prepare(),
}))

export const mailboxById = (db: Db, id: string): MailboxRow | undefined => queries(db).byId.get({ id })
export const mailboxAt = (db: Db, { domain_id, local }: Addressed): MailboxRow | undefined =>
  queries(db).at.get({ domain_id, local })
export const autoresponderOf = (db: Db, id: string): AutoresponderRow | undefined =>
  queries(db).autoresponder.get({ id })

/** Row to resource (contract: Mailbox). */
export function toMailbox({ db }: Pick<Context, 'db'>, row: MailboxRow): z.infer<typeof Mailbox> {
  const domain = domainById(db, row.domain_id)!.name
  return {
    id: row.id,
    address: `${row.local}@${domain}`,
    local_part: row.local,
    domain,
    used_bytes: row.used_bytes,
    messages: row.messages,
    measured_at: row.measured_at,
    suspended_login: row.suspended_login,
    suspended_outgoing: row.suspended_outgoing,
    suspended_incoming: row.suspended_incoming,
    autoresponder: autoresponderOf(db, row.id) !== undefined,
    password_changed_at: row.password_changed_at,
    status: row.status,
    created_at: row.created_at,
    ...present({ quota_mb: row.quota_mb, max_per_hour: row.max_per_hour }),
  }
}

type NewMailbox = Pick<MailboxRow, 'account_id' | 'domain_id' | 'local' | 'hash' | 'quota_mb' | 'max_per_hour'>

/** A new mailbox, with nothing suspended. */
export const newMailbox = (
  ctx: Pick<Context, 'id' | 'now'>,
  values: NewMailbox,
  status: MailboxRow['status'],
): MailboxRow => ({
  id: ctx.id(),
  ...values,
  password_changed_at: ctx.now,
  suspended_login: false,
  suspended_outgoing: false,
  suspended_incoming: false,
  used_bytes: 0,
  messages: 0,
  near_since: null,
  near_step: 0,
  measured_at: ctx.now,
  status,
  created_at: ctx.now,
})
