import { invalid } from '../../contract/problem.ts'
import type * as declared from '../../contract/sessions.ts'
import type { PanelName } from '../../contract/sessions.ts'
import { unauthenticated } from '../../runtime/authorize.ts'
import type { Context } from '../../runtime/context.ts'
import { present } from '../../runtime/list.ts'
import { hashPassword, passwordFits } from '../../runtime/password.ts'
import type { Handler } from '../../runtime/run.ts'
import { liveSession } from './authenticate.ts'
import { clearCookie } from './cookie.ts'
import { keepPassword, type Principal, principalOf } from './principal.ts'
import { accountNote, completeSignInTo, describe, signInTo } from './sign-in.ts'
import { endSession, endSessionsOf, findOwnSession, listSessionsOf, sessionUses } from './store.ts'
import type { SessionRow } from './tables.ts'
import { type Attempt, release, reserve } from './throttle.ts'
import { disable, enable, setUp, takeCode } from './totp.ts'

const sessionIn = (panel: PanelName): Handler<typeof declared.getSession> => ({
  handle: (ctx) => describe(ctx, ctx.caller && liveSession(ctx.runtime, ctx.caller, panel)),
})

const signOutOf = (panel: PanelName): Handler<typeof declared.signOut> => ({
  handle(ctx) {
    if (ctx.actor.session) endSession(ctx.db, ctx.actor.session.id)
    ctx.header('Set-Cookie', clearCookie(panel))
    return undefined
  },
})

/** Whoever acts; the local socket's root has no session but is root all the same. */
function self(ctx: Context, panel: PanelName): Principal {
  const { type, id } = ctx.actor
  const principal = principalOf(ctx.db, panel, type === 'system' ? 'root' : type, id)
  if (!principal) throw unauthenticated()
  return principal
}

const setUpTotpIn = (panel: PanelName): Handler<typeof declared.setUpTotp> => ({
  handle(ctx) {
    const principal = self(ctx, panel)
    ctx.note(accountNote(principal))
    return setUp(ctx, principal)
  },
})

/** A wrong code must count, so it is reserved in a change of its own before the code is tried. */
const codeAttempt = (ctx: Context, panel: PanelName): Promise<Attempt | undefined> =>
  ctx.store.change(() => reserve(ctx, panel, ctx.actor.name))

const enableTotpIn = (panel: PanelName): Handler<typeof declared.enableTotp, Attempt | undefined> => ({
  prepare: (ctx) => codeAttempt(ctx, panel),
  handle(ctx, { body }, attempt) {
    const principal = self(ctx, panel)
    const recovery_codes = enable(ctx, principal.id, body.code)
    release(ctx, attempt)
    ctx.note({ ...accountNote(principal), after: { two_factor: true } })
    return { recovery_codes }
  },
})

const disableTotpIn = (panel: PanelName): Handler<typeof declared.disableTotp, Attempt | undefined> => ({
  prepare: (ctx) => codeAttempt(ctx, panel),
  handle(ctx, { body }, attempt) {
    const principal = self(ctx, panel)
    if (!takeCode(ctx, principal.id, body.code)) throw invalid('code', 'is wrong or was used before')
    release(ctx, attempt)
    disable(ctx, principal.id)
    ctx.note({ ...accountNote(principal), after: { two_factor: false } })
    return undefined
  },
})

const sessionsIn = (panel: PanelName): Handler<typeof declared.listSessions> => ({
  handle: (ctx) => ({ items: listSessionsOf(ctx, ctx.actor.id, panel).map((row) => toOwnSession(ctx, row)) }),
})

const toOwnSession = (ctx: Context, row: SessionRow) => ({
  id: row.id,
  current: row.id === ctx.actor.session?.id,
  created_at: row.created_at,
  last_seen_at: sessionUses(ctx.runtime).get(row.id)?.at ?? row.last_seen_at,
  expires_at: row.expires_at,
  ...present({ address: row.address, user_agent: row.user_agent }),
})

const endOneIn = (panel: PanelName): Handler<typeof declared.endSession> => ({
  handle(ctx, { params }) {
    endSession(ctx.db, findOwnSession(ctx, params.sid, panel).id)
    ctx.note({ object_id: params.sid })
    return undefined
  },
})

const endAllIn = (panel: PanelName): Handler<typeof declared.endSessions> => ({
  handle(ctx) {
    endSessionsOf(ctx.db, ctx.actor.id, ctx.actor.session?.id, panel)
    return undefined
  },
})

interface NewPassword {
  readonly hash: string
  readonly attempt: Attempt | undefined
}

const changePasswordIn = (panel: PanelName): Handler<typeof declared.changeOwnPassword, NewPassword> => ({
  prepare: async (ctx, { body }) => {
    const attempt = await codeAttempt(ctx, panel)
    const { password_hash } = self(ctx, panel)
    const fits = password_hash !== null && (await passwordFits(body.current_password, password_hash))
    if (!fits) throw invalid('current_password', 'is wrong')
    if (body.new_password === body.current_password) throw invalid('new_password', 'must differ from the current one')
    return { hash: await hashPassword(body.new_password), attempt }
  },
  handle(ctx, _input, { hash, attempt }) {
    const principal = self(ctx, panel)
    release(ctx, attempt)
    keepPassword(ctx.db, principal, hash, ctx.now)
    endSessionsOf(ctx.db, principal.id, ctx.actor.session?.id)
    ctx.note(accountNote(principal))
    if (principal.type !== 'root') tell(ctx, principal)
    return undefined
  },
})

function tell(ctx: Context, { id, name: username, main_domain, owner_id }: Principal): void {
  const account = { id, username, domain: main_domain ?? '', owner_id }
  ctx.emit({ type: 'account.password_changed', account, object_id: id, details: {} })
}

export const sessionOperations = {
  getSession: sessionIn('admin'),
  getUserSession: sessionIn('user'),
  signIn: signInTo('admin'),
  signInUser: signInTo('user'),
  completeSignIn: completeSignInTo('admin'),
  completeSignInUser: completeSignInTo('user'),
  signOut: signOutOf('admin'),
  signOutUser: signOutOf('user'),
  setUpTotp: setUpTotpIn('admin'),
  setUpTotpUser: setUpTotpIn('user'),
  enableTotp: enableTotpIn('admin'),
  enableTotpUser: enableTotpIn('user'),
  disableTotp: disableTotpIn('admin'),
  disableTotpUser: disableTotpIn('user'),
  listSessions: sessionsIn('admin'),
  listUserSessions: sessionsIn('user'),
  endSession: endOneIn('admin'),
  endUserSession: endOneIn('user'),
  endSessions: endAllIn('admin'),
  endUserSessions: endAllIn('user'),
  changeOwnPassword: changePasswordIn('admin'),
  changeOwnUserPassword: changePasswordIn('user'),
}
