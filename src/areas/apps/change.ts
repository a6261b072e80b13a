import type * as declared from '../../contract/apps/apps.ts'
import { Problem } from '../../contract/problem.ts'
import { unfinishedJob } from '../../runtime/jobs/queue.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { stopDeploys } from './active-deploys.ts'
import { laneOf, type OfApp, refuseDeploying, refuseGone } from './refuse.ts'
import { neededKey, newKey, noted, refuseMismatch, storedSettings } from './settings.ts'
import { appById, setApp } from './store.ts'
import type { AppRow } from './tables.ts'
import { domainsOfApp, toApp } from './view.ts'

type ChangeContext = Context & OfApp

/** Enqueues the job that applies the app, or returns the one that is queued already. */
export function enqueueApply(ctx: ChangeContext, kind = 'app.apply'): string {
  const { account, app } = ctx.found
  return ctx.enqueue({ kind, account, object_id: app.id, lane: laneOf(app) })
}

export const currentView = ({ db, found: { account, app } }: ChangeContext) => toApp(db, account, appById(db, app.id)!)

export const updateApp: Handler<typeof declared.updateApp> = {
  handle(ctx, { body }) {
    const { account, app } = ctx.found
    const changes = changesOf(ctx, body)
    refuseMismatch({ ...app, ...changes })
    refuseDeploying(ctx)
    if (Object.keys(changes).length > 0) setApp(ctx, app.id, { ...changes, updated_at: ctx.now })
    const names = Object.keys(changes)
    ctx.note({ account, object_id: app.id, before: noted(app, names), after: noted(changes, names) })
    return { app: currentView(ctx), job_id: enqueueApply(ctx) }
  },
}

type UpdateAppBody = Parameters<NonNullable<(typeof updateApp)['handle']>>[1]['body']

/** A different repository has a different host, whose key is not known yet. */
function changesOf(ctx: ChangeContext, { host_key, ...requested }: UpdateAppBody): Partial<AppRow> {
  const { account, app } = ctx.found
  const stored = storedSettings(ctx, requested)
  const moved = stored.git_url !== undefined && stored.git_url !== app.git_url
  const changes: Partial<AppRow> = { ...stored, ...((host_key === null || moved) && { host_key: null }) }
  const all = { ...changes, ...neededKey(ctx, account, { ...app, ...changes }) }
  const differs = ([name, value]: [string, unknown]) => value !== app[name as keyof AppRow]
  return Object.fromEntries(Object.entries(all).filter(differs))
}

/** Removes the app from the host; then the row is deleted and its name is free. */
export const deleteApp: Handler<typeof declared.deleteApp> = {
  handle(ctx) {
    const { account, app } = ctx.found
    ctx.note({ account, object_id: app.id, before: { name: app.name } })
    if (app.status !== 'deleting') {
      refuseInUse(ctx)
      stopDeploys(ctx.runtime, { app: app.id })
      setApp(ctx, app.id, { status: 'deleting', updated_at: ctx.now })
      ctx.emit({ type: 'app.deleted', account, object_id: app.id, details: { name: app.name } })
    }
    const running = unfinishedJob(ctx.runtime, account.id, 'app.delete', app.id)
    return { app: currentView(ctx), job_id: running?.id ?? enqueueApply(ctx, 'app.delete') }
  },
}

function refuseInUse({ db, found: { app } }: ChangeContext): void {
  const names = domainsOfApp(db, app).map(({ name }) => name)
  if (names.length === 0) return
  const verb = names.length === 1 ? 'shows' : 'show'
  throw new Problem('in-use', `${names.join(', ')} ${verb} ${app.name}: give them another handler first.`)
}

export const rotateAppDeployKey: Handler<typeof declared.rotateAppDeployKey> = {
  handle(ctx) {
    const { account, app } = ctx.found
    refuseGone(ctx)
    const key = newKey(ctx, account, app.name)
    setApp(ctx, app.id, { ...key, updated_at: ctx.now })
    ctx.note({
      account,
      object_id: app.id,
      before: { deploy_key: app.deploy_key },
      after: { deploy_key: key.deploy_key },
    })
    return currentView(ctx)
  },
}
