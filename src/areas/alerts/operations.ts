import type * as declared from '../../contract/alerts.ts'
import type { Output } from '../../contract/operation.ts'
import { isRoot } from '../../runtime/operations/actor.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import type { FoundAccount } from '../accounts/objects/find-account.ts'
import { isMailReady } from '../mailer/mailer.ts'
import { listPage, setAlert, toAlerts } from './store.ts'
import type { AlertRow } from './tables.ts'

const mailerOf = ({ runtime }: Context): 'on' | 'off' => (isMailReady(runtime) ? 'on' : 'off')

const listAlerts: Handler<typeof declared.listAlerts> = {
  handle: (ctx, { query }) => ({ ...listPage(ctx, query), mailer: mailerOf(ctx) }),
}

const listAlertsForAccount: Handler<typeof declared.listAlertsForAccount> = {
  handle: (ctx, { query }) => ({ ...listPage(ctx, query, ctx.found.account.id), mailer: mailerOf(ctx) }),
}

const levels = ['account', 'reseller', 'root'] as const

const levelOf = ({ actor }: Context): (typeof levels)[number] =>
  isRoot(actor) ? 'root' : actor.type === 'reseller' ? 'reseller' : 'account'

/** Ends the escalation for the caller and those below it. */
function acknowledge(
  ctx: Context,
  alert: AlertRow,
  note?: string,
  account?: FoundAccount,
): Output<typeof declared.acknowledgeAlert> {
  const level = levelOf(ctx)
  const before = alert.acknowledged_as === null ? -1 : levels.indexOf(alert.acknowledged_as)
  const isHigher = levels.indexOf(level) > before
  const values = {
    ...(alert.state === 'open' && { state: 'acknowledged' as const }),
    ...(isHigher && { acknowledged_at: ctx.now, acknowledged_by: ctx.actor.name, acknowledged_as: level }),
    // The note stands beside the name of who acknowledged it.
    ...(note !== undefined && levels.indexOf(level) >= before && { note }),
  }
  if (Object.keys(values).length > 0) setAlert(ctx.db, alert.id, values)
  ctx.note({ ...(account ? { account } : {}), object_id: alert.id, after: { kind: alert.kind, name: alert.name } })
  return toAlerts(ctx, [{ ...alert, ...values }], account?.id)[0]!
}

const acknowledgeAlert: Handler<typeof declared.acknowledgeAlert> = {
  handle: (ctx, { body }) => acknowledge(ctx, ctx.found.alert, body.note),
}

const acknowledgeAlertForAccount: Handler<typeof declared.acknowledgeAlertForAccount> = {
  handle: (ctx, { body }) => acknowledge(ctx, ctx.found.alert, body.note, ctx.found.account),
}

export const alertOperations = { listAlerts, listAlertsForAccount, acknowledgeAlert, acknowledgeAlertForAccount }
