import { invalid } from '../../contract/problem.ts'
import type * as declared from '../../contract/sessions.ts'
import type { PanelName } from '../../contract/sessions.ts'
import type { CheckedPassword, NewOwnPassword } from '../../runtime/areas/ports.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { present } from '../../runtime/operations/list.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { liveSession } from './authenticate.ts'
import { clearCookie } from './cookie.ts'
import { passkeyOperations } from './passkeys/operations.ts'
import { passkeySignIn } from './passkeys/sign-in.ts'
import { checkOwnPassword, confirmOwnPassword, guessCode, prepareOwnPassword, self } from './password.ts'
import { passwordResetOperations } from './password-reset/operations.ts'
import { emitChanged, keepPassword } from './principal.ts'
import { dropUnusedRecoveryCodes, takeCode } from './second-factor.ts'
import { accountNote, completeSignInTo, describe, signInAnywhere, signInTo, switchFrom } from './sign-in.ts'
import { confirmSession, endSession, endSessionsOf, listSessionsOf, sessionUses } from './store.ts'
import type { SessionRow } from './tables.ts'
import { type Attempt, release } from './throttle.ts'
import { disable, enable, setUp, totpEnabled } from './totp.ts'

const sessionIn = (panel: PanelName): Handler<typeof declared.getSession> => ({
  handle: (ctx) => describe(ctx, ctx.caller && liveSession(ctx.runtime, ctx.caller, panel)),
})

const signOutOf = (panel: PanelName): Handler<typeof declared.signOut> => ({
  handle(ctx) {
    if (ctx.actor.session) endSession(ctx, ctx.actor.session.id)
    ctx.header('Set-Cookie', clearCookie(panel))
    return undefined
  },
})

const setUpTotp: Handler<typeof declared.setUpTotp> = {
  handle(ctx) {
    const principal = self(ctx)
    ctx.note(accountNote(principal))
    return setUp(ctx, principal)
  },
}

const enableTotp: Handler<typeof declared.enableTotp, Attempt | undefined> = {
  prepare: (ctx) => guessCode(ctx),
  handle(ctx, { body }, attempt) {
    const principal = self(ctx)
    const recovery_codes = enable(ctx, principal.id, body.code)
    release(ctx, attempt)
    ctx.note({ ...accountNote(principal), after: { two_factor: true } })
    return { recovery_codes }
  },
}

const disableTotp: Handler<typeof declared.disableTotp, Attempt | undefined> = {
  prepare: (ctx) => guessCode(ctx),
  handle(ctx, { body }, attempt) {
    const principal = self(ctx)
    if (!totpEnabled(ctx.db, principal.id) || !takeCode(ctx, principal.id, body.code))
      throw invalid('code', 'is wrong or was used before')
    release(ctx, attempt)
    disable(ctx.db, principal.id)
    dropUnusedRecoveryCodes(ctx.db, principal.id)
    ctx.note({ ...accountNote(principal), after: { two_factor: false } })
    return undefined
  },
}

const sessionsIn = (panel: PanelName): Handler<typeof declared.listSessions> => ({
  handle: (ctx) => ({ items: listSessionsOf(ctx, ctx.actor.id, panel).map((row) => toOwnSession(ctx, row)) }),
})

const toOwnSession = (ctx: Context, row: SessionRow) => ({
  id: row.id,
  current: row.id === ctx.actor.session?.id,
  created_at: row.created_at,
  last_seen_at: sessionUses(ctx.runtime).get(row.id)?.at ?? row.last_seen_at,
  expires_at: row.expires_at,
  ...(showsOrigin(ctx, row) ? present({ address: row.address, user_agent: row.user_agent }) : {}),
})

/** Hides the addresses of administrators signed in as the account. */
const showsOrigin = ({ actor }: Context, { acting_as_id }: SessionRow): boolean =>
  acting_as_id === null || acting_as_id === actor.session?.actingAs?.id

const endOne: Handler<typeof declared.endSession> = {
  handle(ctx) {
    const { session } = ctx.found
    endSession(ctx, session.id)
    ctx.note({ object_id: session.id })
    return undefined
  },
}

const endAllIn = (panel: PanelName): Handler<typeof declared.endSessions> => ({
  handle(ctx) {
    endSessionsOf(ctx, ctx.actor.id, ctx.actor.session?.id, panel)
    return undefined
  },
})

const changePassword: Handler<typeof declared.changeOwnPassword, NewOwnPassword> = {
  prepare: (ctx, { body }) => prepareOwnPassword(ctx, body),
  handle(ctx, _input, { checked, hash }) {
    const principal = confirmOwnPassword(ctx, 'current_password', checked)
    keepPassword(ctx.db, principal, hash, ctx.now)
    endSessionsOf(ctx, principal.id, ctx.actor.session?.id)
    ctx.note(accountNote(principal))
    emitChanged(ctx, principal)
    return undefined
  },
}

const confirm: Handler<typeof declared.confirmPassword, CheckedPassword> = {
  prepare: (ctx, { body }) => checkOwnPassword(ctx, 'password', body.password),
  handle(ctx, _input, checked) {
    const principal = confirmOwnPassword(ctx, 'password', checked)
    if (ctx.actor.session) confirmSession(ctx, ctx.actor.session.id)
    ctx.note(accountNote(principal))
    return undefined
  },
}

export const sessionOperations = {
  ...passwordResetOperations,
  ...passkeyOperations,
  ...passkeySignIn,
  getSession: sessionIn('admin'),
  getUserSession: sessionIn('user'),
  signIn: signInTo('admin'),
  signInUser: signInTo('user'),
  signInAnywhere,
  switchToUser: switchFrom('admin'),
  switchToAdmin: switchFrom('user'),
  completeSignIn: completeSignInTo('admin'),
  completeSignInUser: completeSignInTo('user'),
  signOut: signOutOf('admin'),
  signOutUser: signOutOf('user'),
  setUpTotp,
  setUpTotpUser: setUpTotp,
  enableTotp,
  enableTotpUser: enableTotp,
  disableTotp,
  disableTotpUser: disableTotp,
  listSessions: sessionsIn('admin'),
  listUserSessions: sessionsIn('user'),
  endSession: endOne,
  endUserSession: endOne,
  endSessions: endAllIn('admin'),
  endUserSessions: endAllIn('user'),
  changeOwnPassword: changePassword,
  changeOwnUserPassword: changePassword,
  confirmPassword: confirm,
  confirmUserPassword: confirm,
}
