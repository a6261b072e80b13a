import { invalid } from '../../contract/problem.ts'
import type * as declared from '../../contract/server.ts'
import type { Context } from '../../runtime/context.ts'
import { hashPassword, passwordFits } from '../../runtime/password.ts'
import type { Handler } from '../../runtime/run.ts'
import { getSetting, keptDays, setSetting } from '../../runtime/settings.ts'
import type { Db } from '../../store/open.ts'
import { keepPassword } from '../sessions/principal.ts'
import { endSessionsOf } from '../sessions/store.ts'

const settings = (ctx: Context) => ({
  two_factor_required: getSetting(ctx.db, 'two_factor_required') ?? ('none' as const),
  password_max_age_days: getSetting(ctx.db, 'password_max_age_days') ?? null,
  job_days: keptDays(ctx.db, 'job_days'),
  audit_days: keptDays(ctx.db, 'audit_days'),
})

const getSettings: Handler<typeof declared.getSettings> = { handle: settings }

const updateSettings: Handler<typeof declared.updateSettings> = {
  handle(ctx, { body }) {
    const before = settings(ctx)
    if (body.two_factor_required !== undefined) setSetting(ctx.db, 'two_factor_required', body.two_factor_required)
    if (body.password_max_age_days !== undefined)
      setSetting(ctx.db, 'password_max_age_days', body.password_max_age_days)
    if (body.job_days !== undefined) setSetting(ctx.db, 'job_days', body.job_days)
    if (body.audit_days !== undefined) setSetting(ctx.db, 'audit_days', body.audit_days)
    ctx.note({ before, after: settings(ctx) })
    return settings(ctx)
  },
}

/** A password that is too old is not answered with the same one. The local socket needs no such rule: it is root's last resort. */
async function refuseSame(ctx: Context, password: string): Promise<void> {
  const current = getSetting(ctx.db, 'root_password_hash')
  if (current && (await passwordFits(password, current)))
    throw invalid('new_password', 'must differ from the current one')
}

const setRootPassword: Handler<typeof declared.setRootPassword, string> = {
  async prepare(ctx, { body }) {
    if (ctx.actor.session) await refuseSame(ctx, body.new_password)
    return hashPassword(body.new_password)
  },
  handle(ctx, _input, hash) {
    const id = getSetting(ctx.db, 'root_id')!
    keepPassword(ctx.db, { type: 'root', id }, hash, ctx.now)
    endSessionsOf(ctx, id, ctx.actor.session?.id)
    return undefined
  },
}

export function licenseLapsed(db: Db, now: number): boolean {
  const until = getSetting(db, 'license_valid_until') ?? null
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

export const serverOperations = { getSettings, updateSettings, setRootPassword, getLicense, setLicense }
