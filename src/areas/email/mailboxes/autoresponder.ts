import { eq } from 'drizzle-orm'
import type * as declared from '../../../contract/email.ts'
import type { Input, Output } from '../../../contract/operation.ts'
import { notFound, refuseInvalid } from '../../../contract/problem.ts'
import { present } from '../../../runtime/operations/list.ts'
import type { Handler } from '../../../runtime/operations/run.ts'
import { refuseBeingDeleted } from '../objects.ts'
import { type AutoresponderRow, autoresponders } from '../tables.ts'
import { carryChange, currentAddress, type MailboxContext } from './change.ts'
import { autoresponderOf } from './store.ts'

type AutoresponderBody = Input<typeof declared.setAutoresponder>['body']

function found(ctx: MailboxContext): AutoresponderRow {
  const row = autoresponderOf(ctx.db, ctx.found.mailbox.id)
  if (!row) throw notFound('autoresponder')
  return row
}

const viewOf = ({ enabled, subject, body, interval_days, starts_on, ends_on }: AutoresponderRow) =>
  ({
    enabled,
    subject,
    body,
    interval_days,
    ...present({ starts_on, ends_on }),
  }) as Output<typeof declared.getAutoresponder>

/** Whether the date exists. */
const isDay = (text: string): boolean => {
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === text
}

function refuseDays({ starts_on, ends_on }: AutoresponderBody): void {
  const problem = (day: string | undefined) => (day === undefined || isDay(day) ? undefined : 'must be a real day')
  const isBackwards = starts_on !== undefined && ends_on !== undefined && ends_on < starts_on
  refuseInvalid({
    starts_on: problem(starts_on),
    ends_on: problem(ends_on) ?? (isBackwards ? `must not be before ${starts_on}` : undefined),
  })
}

const getAutoresponder: Handler<typeof declared.getAutoresponder> = { handle: (ctx) => viewOf(found(ctx)) }

const setAutoresponder: Handler<typeof declared.setAutoresponder> = {
  handle(ctx, { body }) {
    const { account, mailbox } = ctx.found
    refuseDays(body)
    refuseBeingDeleted(currentAddress(ctx), mailbox)
    const values = {
      enabled: body.enabled ?? true,
      subject: body.subject,
      body: body.body.replaceAll('\r\n', '\n'),
      starts_on: body.starts_on ?? null,
      ends_on: body.ends_on ?? null,
      interval_days: body.interval_days ?? 1,
    }
    ctx.db
      .insert(autoresponders)
      .values({ mailbox_id: mailbox.id, ...values, created_at: ctx.now })
      .onConflictDoUpdate({ target: autoresponders.mailbox_id, set: values })
      .run()
    ctx.note({ account, object_id: mailbox.id, after: { autoresponder: values.enabled } })
    return { autoresponder: viewOf(found(ctx)), job_id: carryChange(ctx) }
  },
}

const deleteAutoresponder: Handler<typeof declared.deleteAutoresponder> = {
  handle(ctx) {
    const { account, mailbox } = ctx.found
    const row = found(ctx)
    refuseBeingDeleted(currentAddress(ctx), mailbox)
    ctx.db.delete(autoresponders).where(eq(autoresponders.mailbox_id, mailbox.id)).run()
    ctx.note({ account, object_id: mailbox.id, before: { autoresponder: row.enabled } })
    return { autoresponder: viewOf({ ...row, enabled: false }), job_id: carryChange(ctx) }
  },
}

export const autoresponderOperations = { getAutoresponder, setAutoresponder, deleteAutoresponder }
