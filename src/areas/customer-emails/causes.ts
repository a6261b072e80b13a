import { and, eq, isNull } from 'drizzle-orm'
import type { LetterKind } from '../../contract/email-templates.ts'
import { servicePorts } from '../../contract/service-ports.ts'
import type { EventRow } from '../../runtime/events/emission.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { minuteText } from '../../shared/time.ts'
import type { NoticeData } from '../accounts/objects/notice.ts'
import { percentOf } from '../accounts/objects/notice.ts'
import { accountById, type FullAccount } from '../accounts/store.ts'
import { serversFor } from '../dns/save-zone.ts'
import { mailboxes } from '../email/tables.ts'
import { inert } from '../mailer/inert.ts'
import type { ValuesOf } from './placeholders.ts'
import { sendLetter, subscribes } from './send.ts'
import { customerEmails } from './tables.ts'

const WELCOME = 'welcome'
const megabyte = 1024 * 1024
const MAX_REASON_LENGTH = 240

/** Mail about what happened to an account itself. Inside the change that records the event. */
export function mailEvent(runtime: Runtime, event: EventRow): void {
  const send = event.account_id === null ? undefined : eventLetters[event.type]
  const account = send && accountById(runtime.store.db, event.account_id!)
  if (account) send(runtime, account, event)
}

type EventLetter = (runtime: Runtime, account: FullAccount, event: EventRow) => void

const eventLetters: Partial<Record<EventRow['type'], EventLetter>> = {
  'account.created': expectWelcome,
  'account.suspended': (runtime, account, { id }) =>
    sendLetter(runtime, account, 'suspended', `suspended ${id}`, {
      reason: inert(account.suspend_reason, MAX_REASON_LENGTH) || '–',
      time: minuteText(runtime.clock.now()),
    }),
  'account.unsuspended': (runtime, account, { id }) =>
    sendLetter(runtime, account, 'unsuspended', `unsuspended ${id}`, { time: minuteText(runtime.clock.now()) }),
}

/** The welcome waits until the account is on its host. */
function expectWelcome(runtime: Runtime, account: FullAccount): void {
  const { store, clock } = runtime
  if (!subscribes(runtime, account, WELCOME)) return
  store.db
    .insert(customerEmails)
    .values({ account_id: account.id, cause: WELCOME, created_at: clock.now(), sent_at: null })
    .onConflictDoNothing()
    .run()
}

/** Called when a job has applied the account. */
export function welcome(ctx: Context, account: FullAccount): void {
  const { account_id, cause, sent_at } = customerEmails
  const pending = and(eq(account_id, account.id), eq(cause, WELCOME), isNull(sent_at))
  if (!ctx.db.select({ cause }).from(customerEmails).where(pending).get()) return
  const now = accountById(ctx.db, account.id)
  if (now) sendLetter(ctx.runtime, now, WELCOME, WELCOME, connectionsOf(ctx, now))
}

const connectionsOf = (ctx: Context, { owner_id }: FullAccount): ValuesOf<'welcome'> => {
  const host = ctx.runtime.hostname
  return {
    imap_host: host,
    imap_port: `${servicePorts.imap}`,
    smtp_host: host,
    smtp_port: `${servicePorts.smtp}`,
    ftp_host: host,
    ftp_port: `${servicePorts.ftp}`,
    ssh_host: host,
    ssh_port: `${servicePorts.ssh}`,
    nameservers: serversFor(ctx, owner_id).join('\n'),
  }
}

const noticeLetters: Partial<Record<NoticeData['kind'], LetterKind>> = {
  'disk-nearly-full': 'quota',
  'mailbox-nearly-full': 'quota',
  'certificate-failed': 'certificate-failed',
  'backup-failed': 'backup-failed',
}

export const isQuota = (kind: NoticeData['kind']): boolean => noticeLetters[kind] === 'quota'

/** Mail about what stands. Inside the change that opens its alert. */
export function mailNotice(runtime: Runtime, notice: NoticeData): void {
  const kind = noticeLetters[notice.kind]
  const account = kind && notice.account_id && accountById(runtime.store.db, notice.account_id)
  if (!account) return
  const about = `${notice.kind} ${notice.object_id}`
  if (kind === 'quota') return mailUsage(runtime, account, about, usageOf(runtime, notice, account))
  const reason = inert(notice.detail, MAX_REASON_LENGTH)
  sendLetter(runtime, account, kind as 'backup-failed', `${about} ${notice.since}`, {
    name: inert(notice.name),
    reason,
  })
}

interface Usage {
  readonly step: number
  readonly used: number
  readonly limit: number
  readonly name: string
}

/** Each step once a day: use that goes up and down is not news each time. */
function mailUsage(runtime: Runtime, account: FullAccount, about: string, { step, used, limit, name }: Usage): void {
  const today = new Date(runtime.clock.now()).toISOString().slice(0, 10)
  const values = { name, used_mb: `${used}`, limit_mb: `${limit}`, percent: `${percentOf(used, limit)}` }
  if (step > 0) sendLetter(runtime, account, 'quota', `${about} ${step} ${today}`, values)
}

function usageOf({ store: { db } }: Runtime, { kind, object_id, name }: NoticeData, account: FullAccount): Usage {
  const box =
    kind === 'mailbox-nearly-full' ? db.select().from(mailboxes).where(eq(mailboxes.id, object_id)).get() : undefined
  if (box) return { name, step: box.near_step, used: Math.ceil(box.used_bytes / megabyte), limit: box.quota_mb ?? 0 }
  return { name, step: account.disk_near_step, used: account.disk_used_mb, limit: account.disk_quota_mb ?? 0 }
}
