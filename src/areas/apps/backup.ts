import { Problem } from '../../contract/problem.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { pick } from '../../shared/pick.ts'
import type { Db } from '../../store/open.ts'
import { inHomeNow } from '../accounts/objects/former-home.ts'
import type { BackupPart, RestoredFrom } from '../accounts/objects/part.ts'
import { type FullAccount, nameOf } from '../accounts/store.ts'
import { showApp } from '../domains/served-app.ts'
import { domainsNamed } from '../domains/store.ts'
import { makeApp } from './create.ts'
import { envOf, putVariable, removeVariable } from './env/store.ts'
import { releaseOf } from './releases/adopt.ts'
import { addRelease, releaseById } from './releases/store.ts'
import { appNamed, appsOf, isPortUsed, setApp } from './store.ts'
import { purposes } from './stored.ts'
import type { AppRow, EnvRow, ReleaseRow } from './tables.ts'
import { domainsOfApp } from './view.ts'

const settings = [
  ...(['git_url', 'git_branch', 'git_username', 'git_password', 'deploy_key', 'private_key', 'host_key'] as const),
  ...(['listen', 'root', 'install', 'build', 'start', 'build_timeout_s', 'health_path', 'health_timeout_s'] as const),
  ...(['keep_releases', 'running'] as const),
] as const

const ofVariable = ['name', 'value', 'sealed'] as const

interface SavedApp {
  readonly name: string
  readonly kind: AppRow['kind']
  readonly last_number: number
  readonly settings: Partial<AppRow>
  readonly env: readonly Pick<EnvRow, (typeof ofVariable)[number]>[]
  readonly domains: readonly string[]
  /** The live release; older backups have none. */
  readonly release?: SavedRelease | undefined
}

type SavedRelease = Pick<ReleaseRow, (typeof ofRelease)[number]> & Pick<AppRow, 'port'>
const ofRelease = [
  ...(['number', 'source', 'ref', 'commit_id', 'root'] as const),
  ...(['size_bytes', 'created_at', 'activated_at'] as const),
]

const savedSettings = (row: Partial<AppRow>): Partial<AppRow> =>
  Object.fromEntries(settings.map((name) => [name, row[name] ?? null]))

function savedRelease(db: Db, { current_release_id: id, port }: AppRow): SavedRelease | undefined {
  const live = id === null ? undefined : releaseById(db, id)
  return live && { ...pick(live, ofRelease), port }
}

const savedApp = (db: Db, app: AppRow): SavedApp => ({
  name: app.name,
  kind: app.kind,
  last_number: app.last_number,
  settings: savedSettings(app),
  env: envOf(db, app.id).map((row) => pick(row, ofVariable)),
  domains: domainsOfApp(db, app).map(({ name }) => name),
  release: savedRelease(db, app),
})

/** Keeps newer apps and restores missing ones. Their release goes live again once its files are there. */
function restore(ctx: Context, account: FullAccount, { account: former, data }: RestoredFrom): readonly string[] {
  const { apps } = data as { apps: readonly SavedApp[] }
  for (const saved of apps) {
    const app = restoredApp(ctx, account, { ...saved, settings: commandsInHome(saved.settings, former, account) })
    for (const { name } of envOf(ctx.db, app.id)) removeVariable(ctx, app.id, name)
    for (const variable of saved.env)
      if (opens(ctx, purposes.env, variable.sealed))
        putVariable(ctx, { ...pick(variable, ofVariable), app_id: app.id, updated_at: ctx.now })
    for (const name of saved.domains) showAgain(ctx, account, app, renamed(name, former.domain, account.main_domain))
  }
  return apps.flatMap((saved) => [...unreadable(ctx, saved), ...namingFormer(ctx, saved, former, account)])
}

const commands = ['install', 'build', 'start'] as const
type Names = Pick<FullAccount, 'username'>

function commandsInHome(settings: Partial<AppRow>, from: Names, to: Names): Partial<AppRow> {
  const named = commands.flatMap((name) => {
    const text = settings[name]
    return typeof text === 'string' ? [[name, inHomeNow(text, from.username, to.username)] as const] : []
  })
  return { ...settings, ...Object.fromEntries(named) }
}

/** Variables are not changed: they may be meant for another machine. */
function namingFormer({ runtime }: Context, { name: app, settings, env }: SavedApp, from: Names, to: Names): string[] {
  const isFormer = (text: string | null | undefined) =>
    typeof text === 'string' && inHomeNow(text, from.username, to.username) !== text
  const plain = ({ value, sealed }: SavedApp['env'][number]) => {
    try {
      return value ?? (sealed === null ? null : runtime.unseal(purposes.env, sealed))
    } catch {
      return null
    }
  }
  return [
    ...commands.flatMap((name) => (isFormer(settings[name]) ? `${app}: the former home was replaced in ${name}` : [])),
    ...env.flatMap((one) => (isFormer(plain(one)) ? `${app}: the variable ${one.name} names the former home` : [])),
  ]
}

function unreadable(ctx: Context, { name: app, settings: { git_password = null, private_key = null }, env }: SavedApp) {
  const lost = env.filter(({ sealed }) => !opens(ctx, purposes.env, sealed)).map(({ name }) => `the variable ${name}`)
  if (!opens(ctx, purposes.password, git_password)) lost.push('the password of its repository')
  if (!opens(ctx, purposes.key, private_key)) lost.push('its deploy key')
  return lost.map((what) => `${app}: ${what} cannot be read in this backup: set it again`)
}

function restoredApp(ctx: Context, account: FullAccount, saved: SavedApp): AppRow {
  const { name, kind } = saved
  const there = appNamed(ctx.db, account.id, name)
  if (there?.status === 'deleting') throw new Problem('busy', `${name} is being deleted.`)
  if (there && there.kind !== kind) throw new Problem('exists', `${name} is a ${there.kind} app by now.`)
  const app = there ?? madeAgain(ctx, account, saved)
  const last_number = Math.max(app.last_number, saved.last_number)
  setApp(ctx, app.id, {
    ...readable(ctx, pick(saved.settings, settings)),
    last_number,
    status: 'active',
    updated_at: ctx.now,
  })
  return app
}

function madeAgain(ctx: Context, account: FullAccount, { name, kind, settings, release }: SavedApp): AppRow {
  const app = makeApp(ctx, nameOf(account), { name, kind, start: settings.start ?? null })
  if (!release) return app
  const { port, ...known } = release
  addRelease(ctx, releaseOf(ctx, app, pick(known, ofRelease)))
  if (port !== null && !isPortUsed(ctx.db, port)) setApp(ctx, app.id, { port })
  return app
}

/** Drops what another server encrypted. */
function readable(ctx: Context, { git_password = null, private_key = null, ...rest }: Partial<AppRow>) {
  const key = opens(ctx, purposes.key, private_key)
  const { deploy_key = null } = rest
  return {
    ...rest,
    git_password: opens(ctx, purposes.password, git_password) ? git_password : null,
    ...(key ? { deploy_key, private_key } : { deploy_key: null, private_key: null }),
  }
}

function opens({ runtime }: Context, purpose: string, sealed: string | null): boolean {
  try {
    if (sealed !== null) runtime.unseal(purpose, sealed)
    return true
  } catch {
    return false
  }
}

/** The main domain may have been renamed since, and its subdomains with it. */
const renamed = (name: string, from: string, to: string): string =>
  name === from || name.endsWith(`.${from}`) ? `${name.slice(0, -from.length)}${to}` : name

function showAgain(ctx: Context, account: FullAccount, app: AppRow, name: string): void {
  const [domain] = domainsNamed(ctx.db, account.id, [name])
  if (domain && domain.status !== 'deleting' && domain.kind !== 'parked') showApp(ctx, domain, app.id)
}

/** Settings and environment; secrets stay encrypted. The releases' files are in the part `files`. */
export const backup: BackupPart = {
  part: 'config',
  feature: 'apps',
  save: ({ store: { db } }, { id }) => ({
    data: {
      apps: appsOf
        .all(db, id)
        .filter(({ status }) => status !== 'deleting')
        .map((app) => savedApp(db, app)),
    },
  }),
  restore,
}
