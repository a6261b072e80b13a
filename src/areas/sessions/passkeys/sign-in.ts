import type * as declared from '../../../contract/passkeys.ts'
import { invalid, type Problem } from '../../../contract/problem.ts'
import type { PanelName } from '../../../contract/sessions.ts'
import { unauthenticated } from '../../../runtime/operations/authorize.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Handler } from '../../../runtime/operations/run.ts'
import { type Live, liveSession } from '../authenticate.ts'
import { guess, self } from '../password.ts'
import { principalIn } from '../principal.ts'
import { accountNote, begin, otherPanel, refuseForeignOrigin, suspended } from '../sign-in.ts'
import { confirmSession, endSession } from '../store.ts'
import { type Attempt, release, reserve, succeed } from '../throttle.ts'
import type { ChallengeUse } from './challenge.ts'
import { ownUse } from './operations.ts'
import { requestOptions } from './options.ts'
import { requireRelyingParty } from './relying-party.ts'
import { passkeysOf, passkeyWith } from './store.ts'
import { type Assertion, recordUse, type Verified, verifyAssertion } from './verify.ts'

interface SignIn {
  readonly verified: Verified
  readonly principalId: string
  /** The session whose password was right. */
  readonly pending: Live | undefined
  readonly attempt: Attempt | undefined
}

interface Confirmation {
  readonly verified: Verified
  readonly attempt: Attempt | undefined
}

function pendingIn(ctx: Context, panel: PanelName): Live | undefined {
  const live = ctx.caller && liveSession(ctx.runtime, ctx.caller, panel)
  return live?.row.mfa_pending ? live : undefined
}

const signInUse = (pending: Live | undefined): ChallengeUse => ({
  purpose: 'sign in',
  panel: pending?.row.panel,
  session: pending?.row.id,
})

const startSignInTo = (panel: PanelName): Handler<typeof declared.startPasskeySignIn> => ({
  handle(ctx) {
    refuseForeignOrigin(ctx)
    const rp = requireRelyingParty(ctx)
    const pending = pendingIn(ctx, panel)
    const use = signInUse(pending)
    if (!pending) return requestOptions(ctx, rp, use, 'required')
    return requestOptions(ctx, rp, use, 'preferred', passkeysOf(ctx.db, pending.principal.id, rp.id))
  },
})

const completeSignInTo = (panel: PanelName): Handler<typeof declared.completePasskeySignIn, SignIn> => ({
  prepare(ctx, { body: { credential } }) {
    refuseForeignOrigin(ctx)
    return check(ctx, panel, credential, pendingIn(ctx, panel))
  },
  handle: (ctx, _input, checked) => enter(ctx, panel, checked),
})

const completeSignInAnywhere: Handler<
  typeof declared.completePasskeySignInAnywhere,
  SignIn & { readonly panel: PanelName }
> = {
  async prepare(ctx, { body: { credential, panel: first = 'admin' } }) {
    refuseForeignOrigin(ctx)
    const passkey = passkeyWith(ctx.db, requireRelyingParty(ctx).id, credential.id)
    const panel = passkey && !principalIn(ctx.db, first, passkey.principal_id) ? otherPanel[first] : first
    return { ...(await check(ctx, panel, credential)), panel }
  },
  handle: (ctx, _input, { panel, ...checked }) => ({ panel, session: enter(ctx, panel, checked) }),
}

/** A passkey alone must have verified the user; after the password, having it is enough. */
async function check(ctx: Context, panel: PanelName, credential: Assertion, pending?: Live): Promise<SignIn> {
  const rp = requireRelyingParty(ctx)
  const passkey = passkeyWith(ctx.db, rp.id, credential.id)
  const principal = passkey && principalIn(ctx.db, panel, passkey.principal_id)
  const who = pending?.principal ?? principal
  const attempt = await ctx.store.change(() => reserve(ctx, panel, who?.name ?? `passkey ${credential.id}`))
  const failed = (): Problem => {
    ctx.runtime.ports.signInFailed(ctx.runtime, { service: 'panel', address: ctx.caller?.address, name: who?.name })
    return wrong()
  }
  if (!passkey || !principal || (pending && pending.principal.id !== principal.id)) throw failed()
  const expected = { rp, use: signInUse(pending), userVerified: !pending }
  const verified = await verifyAssertion(ctx, passkey, credential, expected)
  if (!verified) throw failed()
  return { verified, principalId: principal.id, pending, attempt }
}

function enter(ctx: Context, panel: PanelName, { verified, principalId, pending, attempt }: SignIn) {
  const principal = principalIn(ctx.db, panel, principalId)
  const recorded = recordUse(ctx, verified)
  if (recorded === 'copied') throw unauthenticated(copied)
  if (!principal || !recorded || (pending && !endSession(ctx, pending.row.id))) throw wrong()
  if (principal.suspended) throw suspended()
  succeed(ctx, attempt)
  return begin(ctx, { panel, principal, pending: false })
}

const wrong = (): Problem =>
  unauthenticated('No user of this panel has this passkey, or it did not answer within 5 minutes.')
const copied = 'The counter of this passkey did not rise: somebody may have copied it. Delete it and add a new one.'

const startConfirm: Handler<typeof declared.startPasskeyConfirm> = {
  handle(ctx) {
    const rp = requireRelyingParty(ctx)
    return requestOptions(ctx, rp, ownUse(ctx, 'confirm'), 'required', passkeysOf(ctx.db, ctx.actor.id, rp.id))
  },
}

const confirm: Handler<typeof declared.confirmPasskey, Confirmation> = {
  async prepare(ctx, { body: { credential } }) {
    const rp = requireRelyingParty(ctx)
    const attempt = await guess(ctx)
    const passkey = passkeyWith(ctx.db, rp.id, credential.id)
    if (passkey?.principal_id !== ctx.actor.id) throw notRight()
    const expected = { rp, use: ownUse(ctx, 'confirm'), userVerified: true }
    const verified = await verifyAssertion(ctx, passkey, credential, expected)
    if (!verified) throw notRight()
    return { verified, attempt }
  },
  handle(ctx, _input, { verified, attempt }) {
    const recorded = recordUse(ctx, verified)
    if (recorded !== true) throw recorded ? invalid('credential', copied) : notRight()
    release(ctx, attempt)
    if (ctx.actor.session) confirmSession(ctx, ctx.actor.session.id)
    ctx.note(accountNote(self(ctx)))
    return undefined
  },
}

const notRight = (): Problem => invalid('credential', 'is not a passkey of yours that answered within 5 minutes')

export const passkeySignIn = {
  startPasskeySignIn: startSignInTo('admin'),
  startPasskeySignInUser: startSignInTo('user'),
  completePasskeySignIn: completeSignInTo('admin'),
  completePasskeySignInUser: completeSignInTo('user'),
  completePasskeySignInAnywhere: completeSignInAnywhere,
  startPasskeyConfirm: startConfirm,
  startPasskeyConfirmUser: startConfirm,
  confirmPasskey: confirm,
  confirmPasskeyUser: confirm,
}
