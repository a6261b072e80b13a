import type { z } from 'zod'
import type * as declared from '../../contract/backups.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { present } from '../../runtime/operations/list.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { accountById, fullAccount } from '../accounts/store.ts'
import { namedDestination } from './destinations/store.ts'
import { validateOnHost } from './destinations/validate.ts'
import { planOf, scheduleOf, setSchedule } from './plan.ts'

function viewOf({ db }: Context, account: string): z.input<typeof declared.getBackupSchedule.answer> {
  const { every, keep, destination_id } = planOf(db, accountById(db, account)!)
  return { every, keep, ...present({ destination_id }) }
}

export const getBackupSchedule: Handler<typeof declared.getBackupSchedule> = {
  handle: (ctx) => viewOf(ctx, ctx.found.account.id),
}

/** A schedule starts when it is set: earlier due times are not caught up. */
export const setBackupSchedule: Handler<typeof declared.setBackupSchedule, void> = {
  async prepare(ctx, { body }) {
    const named = namedDestination(ctx, body.destination_id)
    if (named) await validateOnHost(ctx, { type: named.type })
  },
  handle(ctx, { body: { every = null, keep = null, destination_id } }) {
    const account = fullAccount(ctx)
    const destination = namedDestination(ctx, destination_id)?.id ?? null
    const before = viewOf(ctx, account.id)
    const since = scheduleOf(ctx.db, account.id)?.every === every ? {} : { updated_at: ctx.now }
    setSchedule(ctx.db, account.id, { every, keep, destination_id: destination, ...since }, ctx.now)
    ctx.note({ account, object_id: account.id, before, after: viewOf(ctx, account.id) })
    return viewOf(ctx, account.id)
  },
}
