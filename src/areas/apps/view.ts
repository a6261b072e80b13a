import { and, asc, eq } from 'drizzle-orm'
import type { z } from 'zod'
import type { App } from '../../contract/apps/apps.ts'
import { present } from '../../runtime/operations/list.ts'
import type { Db } from '../../store/open.ts'
import { domains } from '../domains/tables.ts'
import { isProgram } from './kinds.ts'
import { releaseById, releaseNumbered } from './releases/store.ts'
import type { AppRow, ReleaseRow } from './tables.ts'

type Account = { readonly suspended_at: number | null }

/** The domains showing an app, in order of creation. */
export const domainsOfApp = (db: Db, { id, account_id }: Pick<AppRow, 'id' | 'account_id'>) =>
  db
    .select()
    .from(domains)
    .where(and(eq(domains.account_id, account_id), eq(domains.app_id, id), eq(domains.handler, 'app')))
    .orderBy(asc(domains.id))
    .all()

/** Where visitors find it. */
export const urlsOf = (db: Db, app: Pick<AppRow, 'id' | 'account_id'>): string[] =>
  domainsOfApp(db, app).flatMap(({ name }) => (name.startsWith('*') ? [] : `https://${name}/`))

function statusOf(account: Account, app: AppRow): z.infer<typeof App>['status'] {
  if (app.status === 'deleting') return 'deleting'
  if (app.current_release_id === null) return 'new'
  if (account.suspended_at !== null) return 'suspended'
  if (!app.running) return 'stopped'
  return isProgram(app.kind) ? app.observed : 'running'
}

export const liveOf = (db: Db, { current_release_id: id }: AppRow): ReleaseRow | undefined =>
  id === null ? undefined : releaseById(db, id)

/** Why the last deploy of an app that was never live failed. */
function failureOf(db: Db, { id, last_number }: AppRow): string | null {
  const last = releaseNumbered(db, id, last_number)
  return last?.status === 'failed' ? last.error : null
}

/** The directory served or run, within the live release. */
export const rootOf = (app: AppRow, live: ReleaseRow | undefined): string => app.root ?? live?.root ?? '.'

/** Row to resource (contract: App). */
export function toApp(db: Db, account: Account, row: AppRow): z.infer<typeof App> {
  const status = statusOf(account, row)
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    domain_ids: domainsOfApp(db, row).map(({ id }) => id),
    listen: row.listen,
    root: rootOf(row, liveOf(db, row)),
    build_timeout_s: row.build_timeout_s,
    health_path: row.health_path,
    health_timeout_s: row.health_timeout_s,
    keep_releases: row.keep_releases,
    running: row.running,
    status,
    created_at: row.created_at,
    updated_at: row.updated_at,
    ...present({
      git_url: row.git_url,
      git_branch: row.git_branch,
      git_username: row.git_username,
      deploy_key: row.deploy_key,
      host_key: row.host_key,
      port: row.port,
      install: row.install,
      build: row.build,
      start: row.start,
      status_reason: status === 'new' ? failureOf(db, row) : status === row.observed ? row.status_reason : null,
      current_release_id: row.current_release_id,
      deploying_release_id: row.deploying_release_id,
    }),
  }
}
