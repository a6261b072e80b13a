import { eq } from 'drizzle-orm'
import type { createApp as declared } from '../../contract/apps/apps.ts'
import type { Input } from '../../contract/operation.ts'
import { invalid, Problem } from '../../contract/problem.ts'
import type { AccountName, Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { limitDefaults } from '../../shared/limit-defaults.ts'
import { accountById } from '../accounts/store.ts'
import { refuseBeingDeleted } from '../domains/busy.ts'
import { showApp } from '../domains/served-app.ts'
import { domainById } from '../domains/store.ts'
import type { DomainRow } from '../domains/tables.ts'
import { packages } from '../packages/tables.ts'
import { laneOf } from './refuse.ts'
import { neededKey, noted, refuseMismatch, type SettingsInput, storedSettings, unset } from './settings.ts'
import { addApp, appById, appNamed, appsOf, setApp } from './store.ts'
import type { AppRow } from './tables.ts'
import { toApp } from './view.ts'

type CreateAppBody = Input<typeof declared>['body']
export type NewApp = SettingsInput & Pick<CreateAppBody, 'name' | 'kind'>

/** Creates the app's row; its job applies it, and the domain that shows it, to the host. */
export const createApp: Handler<typeof declared> = {
  handle(ctx, { body }) {
    const { account } = ctx.found
    const domain = body.domain_id === undefined ? undefined : freeDomain(ctx, account.id, body.domain_id)
    const { id } = makeApp(ctx, account, body)
    if (domain) showApp(ctx, domain, id)
    ctx.emit({ type: 'app.created', account, object_id: id, details: { name: body.name } })
    ctx.note({ account, object_id: id, after: noted(body, Object.keys(body)) })
    const app = appById(ctx.db, id)!
    const job_id = ctx.enqueue({ kind: 'app.apply', account, object_id: id, lane: laneOf(app) })
    return { app: toApp(ctx.db, account, app), job_id }
  },
}

/** Creates an app without a release; the caller enqueues its job. */
export function makeApp(ctx: Context, account: AccountName, requested: NewApp): AppRow {
  if (appNamed(ctx.db, account.id, requested.name))
    throw new Problem('exists', `${account.username} has an app ${requested.name} already.`, { name: 'is taken' })
  refuseOneMore(ctx, account.id)
  const row = newApp(ctx, account, requested)
  refuseMismatch(row)
  addApp(ctx, row)
  setApp(ctx, row.id, neededKey(ctx, account, row))
  return row
}

const newApp = (ctx: Context, account: AccountName, { name, kind, ...settings }: NewApp): AppRow => ({
  id: ctx.id(),
  account_id: account.id,
  name,
  kind,
  ...unset,
  ...storedSettings(ctx, settings),
  deploy_key: null,
  private_key: null,
  host_key: null,
  port: null,
  status: 'creating',
  observed: 'stopped',
  status_reason: null,
  crashed_at: null,
  current_release_id: null,
  deploying_release_id: null,
  last_number: 0,
  created_at: ctx.now,
  updated_at: ctx.now,
})

/** A domain of the account that does not show an app yet. */
function freeDomain(ctx: Context, account: string, id: string): DomainRow {
  const domain = domainById(ctx.db, id)
  if (domain?.account_id !== account) throw invalid('domain_id', 'names no domain of this account')
  if (domain.kind === 'parked') throw invalid('domain_id', 'is an alias domain, which shows the site of its parent')
  refuseBeingDeleted(domain)
  if (domain.handler === 'app')
    throw new Problem('in-use', `${domain.name} shows an app already.`, { domain_id: 'shows an app already' })
  return domain
}

/** Read from the package on use: accounts have no such limit of their own. */
function refuseOneMore({ db }: Context, account: string): void {
  const { package_id } = accountById(db, account)!
  const limit = db.select().from(packages).where(eq(packages.id, package_id)).get()?.max_apps ?? limitDefaults.max_apps
  const used = appsOf.count(db, account)
  if (used < limit) return
  throw new Problem('limit-reached', `The account has ${used} of ${limit} apps.`, {
    max_apps: `${used} of ${limit} apps are in use`,
  })
}
