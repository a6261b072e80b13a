import { eq, isNull } from 'drizzle-orm'
import { type LetterKind, MANDATORY_LETTERS } from '../../contract/email-templates.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { publicUrl } from '../../runtime/settings/server-names.ts'
import { getSetting } from '../../runtime/settings/settings.ts'
import { day } from '../../shared/time.ts'
import type { FullAccount } from '../accounts/store.ts'
import { isMailReady } from '../mailer/mailer.ts'
import { queueMail } from '../mailer/outbox.ts'
import { shareOf } from '../mailer/shares.ts'
import { packages } from '../packages/tables.ts'
import { brandSender } from '../resellers/brand/sender.ts'
import { offFor } from './operations.ts'
import type { CommonValues, ValuesOf } from './placeholders.ts'
import { rendered } from './render.ts'
import { customerEmails, type Locale } from './tables.ts'
import { templateFor } from './templates.ts'

const LIFE_MS = 2 * day

/** Whether an account gets mail of this kind: by the server or its package, unless it switched that off. */
export function subscribes(runtime: Runtime, account: FullAccount, kind: LetterKind): boolean {
  const { db } = runtime.store
  if (account.contact_email === '' || !isMailReady(runtime)) return false
  if (!MANDATORY_LETTERS.includes(kind) && offFor(db, account.id).includes(kind)) return false
  if (getSetting(db, 'customer_emails')?.includes(kind)) return true
  const plan = db.select({ letters: packages.letters }).from(packages).where(eq(packages.id, account.package_id)).get()
  return plan?.letters?.includes(kind) ?? false
}

const panelUrl = (runtime: Runtime): string => `${new URL(publicUrl(runtime)).origin}/user`

/** Queues mail about a cause in the change that records it, once. */
export function sendLetter<Kind extends LetterKind>(
  runtime: Runtime,
  account: FullAccount,
  kind: Kind,
  cause: string,
  values: ValuesOf<Kind> | (() => ValuesOf<Kind>),
): void {
  if (!subscribes(runtime, account, kind) || !claim(runtime, account.id, cause)) return
  const { store, clock, hostname } = runtime
  const { db } = store
  const sender = brandSender({ db, runtime }, account.owner_id)
  const common: CommonValues = {
    username: account.username,
    domain: account.main_domain,
    server: hostname,
    brand: sender.fromName,
    panel_url: panelUrl(runtime),
  }
  const template = templateFor(db, account.owner_id, { kind, locale: account.locale as Locale })
  const { subject, text } = rendered(template, {
    ...common,
    ...(typeof values === 'function' ? values() : values),
  })
  const unsubscribe = kind === 'digest' ? `${panelUrl(runtime)}/notification-preferences` : undefined
  queueMail(
    { db, runtime, store, now: clock.now() },
    { to: account.contact_email, ...sender, subject, text, unsubscribe },
    { lifetimeMs: LIFE_MS, share: shareOf(db, account) },
  )
}

/** Whether this cause was not mailed yet. Inside a change. */
function claim({ store, clock }: Runtime, account_id: string, cause: string): boolean {
  const now = clock.now()
  const { changes } = store.db
    .insert(customerEmails)
    .values({ account_id, cause, created_at: now, sent_at: now })
    .onConflictDoUpdate({
      target: [customerEmails.account_id, customerEmails.cause],
      set: { sent_at: now },
      setWhere: isNull(customerEmails.sent_at),
    })
    .run()
  return changes > 0
}
