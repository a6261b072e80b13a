import { and, eq } from 'drizzle-orm'
import type { EventRow } from '../../runtime/events/emission.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { type Notices, noticeRowsOf } from '../accounts/objects/notice.ts'
import type { AccountPart } from '../accounts/objects/part.ts'
import { stopDeploys } from './active-deploys.ts'
import { backup } from './backup.ts'
import { filesRestored } from './restored.ts'
import { apps } from './tables.ts'
import { appsHost } from './unit.ts'

const faulty = { kind: 'app-crashed', id: apps.id, account: apps.account_id, since: apps.crashed_at } as const

const crashed = noticeRowsOf(
  faulty,
  (db) => db.select().from(apps).$dynamic(),
  and(eq(apps.observed, 'crashed'), eq(apps.running, true), eq(apps.status, 'active')),
)

/** Apps that should be running but are not. */
const crashedApps: Notices = ({ db }, scope) =>
  crashed(db, scope).map((app) => ({
    kind: faulty.kind,
    severity: 'error',
    object: 'app',
    object_id: app.id,
    name: app.name,
    detail: app.status_reason ?? 'The app has crashed.',
    since: app.crashed_at!,
    operation: 'restartApp',
    account_id: app.account_id,
  }))

export const ofAccount = {
  host: { apps: appsHost },
  /** The home has moved, so a build in the former one cannot continue. */
  changed(ctx, before, after) {
    if (before.username !== after.username) stopDeploys(ctx.runtime, { account: after.id })
  },
  notices: crashedApps,
  backup,
  filesRestored,
} satisfies AccountPart

const moves: readonly EventRow['type'][] = ['account.suspended', 'account.unsuspended', 'account.terminated']

/** Rechecks whether any app should be running. */
export function follow(runtime: Runtime, { type }: EventRow): void {
  if (moves.includes(type)) runtime.store.afterCommit(() => runtime.signals.emit('appChange'))
}
