import type * as declared from '../../contract/apps/apps.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { currentView, enqueueApply } from './change.ts'
import { refuseCode } from './kinds.ts'
import { type OfApp, refuseGone, refuseNew, refuseSuspended } from './refuse.ts'
import { setApp } from './store.ts'

type RunningContext = Context & OfApp

/** An app that should run shows what it waits for. */
function setRunning(ctx: RunningContext, running: boolean): void {
  const { account, app } = ctx.found
  const wakes = running && app.observed === 'stopped' && { observed: 'starting' as const, status_reason: null }
  if (running !== app.running) setApp(ctx, app.id, { running, updated_at: ctx.now, ...wakes })
  ctx.note({
    account,
    object_id: app.id,
    before: { app: app.name, running: app.running },
    after: { app: app.name, running },
  })
}

function refuseRunning(ctx: RunningContext): void {
  refuseGone(ctx)
  refuseNew(ctx)
  refuseSuspended(ctx)
  refuseCode(ctx, ctx.found.app)
}

export const startApp: Handler<typeof declared.startApp> = {
  handle(ctx) {
    refuseRunning(ctx)
    setRunning(ctx, true)
    return { app: currentView(ctx), job_id: enqueueApply(ctx) }
  },
}

export const stopApp: Handler<typeof declared.stopApp> = {
  handle(ctx) {
    refuseGone(ctx)
    refuseNew(ctx)
    setRunning(ctx, false)
    return { app: currentView(ctx), job_id: enqueueApply(ctx) }
  },
}

export const restartApp: Handler<typeof declared.restartApp> = {
  handle(ctx) {
    refuseRunning(ctx)
    setRunning(ctx, true)
    return { app: currentView(ctx), job_id: enqueueApply(ctx, 'app.restart') }
  },
}
