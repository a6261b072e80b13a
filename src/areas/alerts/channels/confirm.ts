import { createHash, randomBytes } from 'node:crypto'
import { and, count, eq, gt, lte, sql } from 'drizzle-orm'
import type * as declared from '../../../contract/alerts.ts'
import { notFound, Problem } from '../../../contract/problem.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Handler } from '../../../runtime/operations/run.ts'
import { publicUrl } from '../../../runtime/settings/server-names.ts'
import { getSetting, rootId } from '../../../runtime/settings/settings.ts'
import { day } from '../../../shared/time.ts'
import type { Db } from '../../../store/open.ts'
import type { FullAccount } from '../../accounts/store.ts'
import { accounts } from '../../accounts/tables.ts'
import { queueMail } from '../../mailer/outbox.ts'
import { refuseForeignOrigin } from '../../sessions/sign-in.ts'
import { senderFor, shareFor } from '../sender.ts'
import { type ChannelRow, confirmations, unconfirmedContacts } from '../tables.ts'
import { channelById, type Owner, setChannel } from './store.ts'

const LINK_LIFE_MS = day
const MAX_LINKS_PER_DAY = 20
/** Who does not open the link has no use for more. */
const MAX_LINKS_PER_ADDRESS_AND_DAY = 3

/** Whether mail may go to an address without confirmation: the owner's own contact, if not set by an account itself. */
export function isOwnContact(db: Db, { owner_id }: Owner, address: string): boolean {
  const contact = owner_id === rootId(db) ? getSetting(db, 'contact_email') : trustedContact(db, owner_id)
  return contact?.toLowerCase() === address.toLowerCase()
}

function trustedContact(db: Db, id: string): string | undefined {
  const own = db.select().from(unconfirmedContacts).where(eq(unconfirmedContacts.account_id, id)).get()
  if (own) return undefined
  return db.select({ contact: accounts.contact_email }).from(accounts).where(eq(accounts.id, id)).get()?.contact
}

/** An address that an account gave itself may be a stranger's. */
export function contactChanged({ db, actor }: Context, before: FullAccount, after: FullAccount): void {
  if (before.contact_email === after.contact_email) return
  db.delete(unconfirmedContacts).where(eq(unconfirmedContacts.account_id, after.id)).run()
  if (actor.id === after.id) db.insert(unconfirmedContacts).values({ account_id: after.id }).run()
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

/** Mails the link that confirms a channel's address. 429 after too many a day. */
export function sendLink(ctx: Context, channel: ChannelRow): void {
  const { db, now, runtime } = ctx
  const { owner_id, id: channel_id } = channel
  const recipient = channel.recipient!
  db.delete(confirmations)
    .where(lte(confirmations.created_at, now - day))
    .run()
  const lately = and(eq(confirmations.owner_id, owner_id), gt(confirmations.created_at, now - day))
  const { total } = db.select({ total: count() }).from(confirmations).where(lately).get()!
  if (total >= MAX_LINKS_PER_DAY)
    throw new Problem('rate-limited', `At most ${MAX_LINKS_PER_DAY} addresses can be confirmed a day.`)
  const same = and(lately, eq(sql`lower(${confirmations.recipient})`, recipient.toLowerCase()))
  if (db.select({ total: count() }).from(confirmations).where(same).get()!.total >= MAX_LINKS_PER_ADDRESS_AND_DAY)
    throw new Problem('rate-limited', `An address gets at most ${MAX_LINKS_PER_ADDRESS_AND_DAY} links a day.`)
  const token = randomBytes(32).toString('base64url')
  db.insert(confirmations)
    .values({ hash: hashOf(token), channel_id, owner_id, recipient, created_at: now })
    .run()
  const url = `${new URL(publicUrl(runtime)).origin}/confirm-channel?token=${token}`
  const mail = { to: recipient, ...senderFor(ctx, channel), ...letter(runtime.hostname, url) }
  queueMail(ctx, mail, { lifetimeMs: LINK_LIFE_MS, share: shareFor(ctx.db, channel) })
}

const letter = (server: string, url: string) => ({
  subject: `Confirm alerts from ${server}`,
  text: `Somebody asked ${server} to send its alerts to this address.

Open this link and press the button to allow it. It works once, within 24 hours:

${url}

If you did not expect this, ignore this message: nothing more is sent.
`,
})

export const confirmAlertChannel: Handler<typeof declared.confirmAlertChannel> = {
  handle(ctx, { body }) {
    refuseForeignOrigin(ctx)
    const { db, now } = ctx
    const valid = and(eq(confirmations.hash, hashOf(body.token)), gt(confirmations.created_at, now - LINK_LIFE_MS))
    const row = db.select().from(confirmations).where(valid).get()
    const channel = row && channelById(db, row.channel_id)
    if (!channel || channel.recipient !== row.recipient) throw notFound('link')
    db.delete(confirmations).where(eq(confirmations.hash, row.hash)).run()
    setChannel(db, channel, { verified: true, updated_at: now })
    return undefined
  },
}
