import type { AppUnit, HostParts } from '../../host/contract/driver.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { Db } from '../../store/open.ts'
import type { FullAccount } from '../accounts/store.ts'
import type { AppSite } from '../domains/part.ts'
import { envOf, textOf } from './env/store.ts'
import { isProgram, startOf } from './kinds.ts'
import { activeApp, appsOf } from './store.ts'
import type { AppRow } from './tables.ts'
import { domainsOfApp, liveOf, rootOf } from './view.ts'

type Opens = Pick<Runtime, 'unseal'>
type Account = Pick<FullAccount, 'main_domain'>

/** The app as its host should run it. */
export function unitOf(runtime: Opens, db: Db, account: Account, app: AppRow): AppUnit {
  const live = liveOf(db, app)
  const start = startOf(app)
  return {
    id: app.id,
    name: app.name,
    kind: app.kind,
    // A change takes effect with the next deploy, which assigns a port.
    listen: app.port === null ? 'socket' : 'port',
    running: app.running,
    ...(live && { release: live.number }),
    ...(app.port !== null && { port: app.port }),
    root: rootOf(app, live),
    ...(start !== undefined && { start }),
    host: nameFor(db, account, app),
    healthPath: app.health_path,
    healthTimeoutS: app.health_timeout_s,
    env: Object.fromEntries(envOf(db, app.id).map((row) => [row.name, textOf(runtime, row)])),
  }
}

/** The host name that its visitors use. */
const nameFor = (db: Db, account: Account, app: AppRow): string =>
  domainsOfApp(db, app).find(({ name }) => !name.startsWith('*'))?.name ?? account.main_domain

/** The account's apps for the host's desired state. */
export function appsHost(db: Db, account: FullAccount, runtime: Opens): HostParts['apps'] {
  const all = appsOf.all(db, account.id)
  const [gone, apps] = [true, false].map((is) => all.filter(({ status }) => (status === 'deleting') === is))
  return {
    apps: apps!.map((app) => unitOf(runtime, db, account, app)),
    gone: gone!.map(({ id, name }) => ({ id, name })),
  }
}

/** How the web server shows the app; undefined if there is none with this id. */
export function siteOfApp(db: Db, accountId: string, appId: string): AppSite | undefined {
  const app = activeApp(db, accountId, appId)
  const live = app && liveOf(db, app)
  if (!app) return undefined
  if (!live || !app.running) return { handler: 'off' }
  if (isProgram(app.kind)) return { handler: 'app', app: { id: app.id, ...(app.port !== null && { port: app.port }) } }
  const root = rootOf(app, live)
  const documentRoot = `apps/${app.name}/current${root === '.' ? '' : `/${root}`}`
  return { handler: app.kind === 'php' ? 'php-front' : 'static', documentRoot }
}
