import type { Output } from '../../contract/operation.ts'
import { invalid } from '../../contract/problem.ts'
import type * as declared from '../../contract/server.ts'
import { turnOfCaller } from '../../runtime/jobs/shares.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { hashPassword, passwordFits } from '../../runtime/security/password.ts'
import { getSetting, type Settings, setSetting, settingOf } from '../../runtime/settings/settings.ts'
import type { Store } from '../../store/open.ts'
import { keepPassword } from '../sessions/principal.ts'
import { endSessionsOf } from '../sessions/store.ts'
import { getServerHealth } from './health.ts'

type SettingsView = Output<typeof declared.getSettings>

/** What each area shows of its settings; that none of the contract's is missing, the compiler sees in the list of areas. */
function settings({ db, runtime }: Context): SettingsView {
  const visible = runtime.areas.flatMap((area) => Object.entries(area.settings ?? {}))
  return Object.fromEntries(
    visible.map(([name, fallback]) => {
      const set = getSetting(db, name as keyof Settings)
      return [name, set ?? (typeof fallback === 'function' ? fallback(runtime) : fallback)]
    }),
  ) as SettingsView
}

const getSettings: Handler<typeof declared.getSettings> = { handle: settings }

const updateSettings: Handler<typeof declared.updateSettings> = {
  handle(ctx, { body }) {
    const before = settings(ctx)
    for (const { refuseSettings } of ctx.runtime.areas) refuseSettings?.(body as Partial<Settings>, ctx.runtime)
    for (const [name, value] of Object.entries(body)) setSetting(ctx.db, name as keyof SettingsView, value)
    const after = settings(ctx)
    ctx.note({ before, after })
    const changed = Object.entries(after).filter(([name, value]) => value !== before[name as keyof SettingsView])
    for (const { settingsChanged } of ctx.runtime.areas) settingsChanged?.(ctx, Object.fromEntries(changed), before)
    return after
  },
}

/** A password that is too old is not answered with the same one. The local socket needs no such rule: it is root's last resort. */
async function refuseSame(ctx: Context, password: string): Promise<void> {
  const current = getSetting(ctx.db, 'root_password_hash')
  if (current && (await passwordFits(password, current, turnOfCaller(ctx))))
    throw invalid('new_password', 'must differ from the current one')
}

const setRootPassword: Handler<typeof declared.setRootPassword, string> = {
  async prepare(ctx, { body }) {
    if (ctx.actor.session) await refuseSame(ctx, body.new_password)
    return hashPassword(body.new_password, turnOfCaller(ctx))
  },
  handle(ctx, _input, hash) {
    const id = getSetting(ctx.db, 'root_id')!
    const isFirst = getSetting(ctx.db, 'root_password_hash') == null
    keepPassword(ctx.db, { type: 'root', id }, hash, ctx.now)
    // Without a password before, no session can come from one that others know.
    if (!isFirst) endSessionsOf(ctx, id, ctx.actor.session?.id)
    return undefined
  },
}

export function isLicenseExpired(store: Store, now: number): boolean {
  const until = settingOf(store, 'license_valid_until') ?? null
  return until !== null && until <= now
}

const license = (ctx: Context) => {
  const valid_until = getSetting(ctx.db, 'license_valid_until') ?? null
  return { valid_until, valid: valid_until === null || valid_until > ctx.now }
}

const getLicense: Handler<typeof declared.getLicense> = { handle: license }

const setLicense: Handler<typeof declared.setLicense> = {
  handle(ctx, { body }) {
    const before = license(ctx)
    setSetting(ctx.db, 'license_valid_until', body.valid_until)
    ctx.note({ before, after: license(ctx) })
    ctx.afterCommit(() => ctx.runtime.signals.emit('job'))
    return license(ctx)
  },
}

const getWhm: Handler<typeof declared.getWhm> = {
  handle: ({ runtime: { whmUrl: url }, actor }) => ({
    enabled: url !== undefined,
    ...(url === undefined ? {} : { url }),
    user: actor.name,
  }),
}

export const serverOperations = {
  getServerHealth,
  getSettings,
  updateSettings,
  setRootPassword,
  getLicense,
  setLicense,
  getWhm,
}
