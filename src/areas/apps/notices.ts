import { and, eq } from 'drizzle-orm'
import { faultsOf, type Notices } from '../accounts/notice.ts'
import { apps } from './tables.ts'

const faulty = { kind: 'app-crashed', id: apps.id, account: apps.account_id, since: apps.crashed_at } as const

const crashed = faultsOf(
  faulty,
  (db) => db.select().from(apps).$dynamic(),
  and(eq(apps.observed, 'crashed'), eq(apps.running, true), eq(apps.status, 'active')),
)

/** Apps that should be running but are not. */
export const crashedApps: Notices = ({ db }, scope) =>
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
