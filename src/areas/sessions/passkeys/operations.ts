import { eq } from 'drizzle-orm'
import type * as declared from '../../../contract/passkeys.ts'
import { invalid, Problem, withoutFeature } from '../../../contract/problem.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { present } from '../../../runtime/operations/list.ts'
import type { Handler } from '../../../runtime/operations/run.ts'
import { self } from '../password.ts'
import type { Principal } from '../principal.ts'
import { hasRecoveryCodes, issueRecoveryCodes } from '../recovery-codes.ts'
import { dropUnusedRecoveryCodes, twoFactorEnabled } from '../second-factor.ts'
import { accountNote } from '../sign-in.ts'
import { type PasskeyRow, passkeys } from '../tables.ts'
import { totpEnabled } from '../totp.ts'
import { type ChallengeUse, useChallenge } from './challenge.ts'
import { creationOptions } from './options.ts'
import { type RelyingParty, relyingPartyOf, requireRelyingParty } from './relying-party.ts'
import { countPasskeys, passkeysOf, passkeyWith } from './store.ts'
import { verifyRegistration } from './verify.ts'

const MAX_PASSKEYS = 20

/** The challenge of a session's own use. */
export const ownUse = ({ actor }: Context, purpose: ChallengeUse['purpose']): ChallengeUse => ({
  purpose,
  panel: actor.session?.panel ?? 'admin',
  session: actor.session?.id,
})

/** Whether the caller may have a further passkey, and where it works. */
function admitted(ctx: Context): { principal: Principal; rp: RelyingParty } {
  refuseLink(ctx)
  const principal = self(ctx)
  if (principal.type === 'account' && !ctx.runtime.ports.hasFeature(ctx, principal.id, 'two_factor'))
    throw withoutFeature(['two_factor'])
  const rp = requireRelyingParty(ctx)
  if (countPasskeys(ctx.db, principal.id) >= MAX_PASSKEYS)
    throw new Problem('too-many', `A user has at most ${MAX_PASSKEYS} passkeys; delete one first.`)
  return { principal, rp }
}

/** Who opened a link may be its maker: a passkey would stay after the link has ended. */
function refuseLink({ actor }: Context): void {
  if (actor.via === 'sso')
    throw new Problem('forbidden', 'Sign in with your password or a passkey: a session of a link cannot do this.')
}

const start: Handler<typeof declared.startPasskey> = {
  handle(ctx) {
    const { principal, rp } = admitted(ctx)
    return creationOptions(ctx, rp, principal, ownUse(ctx, 'add'), passkeysOf(ctx.db, principal.id, rp.id))
  },
}

type Registered = NonNullable<Awaited<ReturnType<typeof verifyRegistration>>> & { readonly rp_id: string }

const add: Handler<typeof declared.addPasskey, Registered> = {
  async prepare(ctx, { body }) {
    const { rp } = admitted(ctx)
    const expected = { rp, use: ownUse(ctx, 'add'), userVerified: false }
    const found = await verifyRegistration(ctx, body.credential, expected)
    if (!found) throw notRight()
    return { ...found, rp_id: rp.id }
  },
  handle(ctx, { body }, { challenge, ...registered }) {
    const { principal } = admitted(ctx)
    if (!useChallenge(ctx, challenge)) throw notRight()
    if (passkeyWith(ctx.db, registered.rp_id, registered.credential_id))
      throw new Problem('exists', 'This passkey was added before.')
    const row = { id: ctx.id(), principal_id: principal.id, name: body.name, created_at: ctx.now, last_used_at: null }
    const stored: PasskeyRow = { ...row, ...registered }
    ctx.db.insert(passkeys).values(stored).run()
    ctx.note({ ...accountNote(principal), object_id: row.id, after: { passkey: body.name } })
    const hasCodes = hasRecoveryCodes(ctx.db, principal.id)
    return { ...toPasskey(ctx, stored), ...(!hasCodes && { recovery_codes: issueRecoveryCodes(ctx, principal.id) }) }
  },
}

const notRight = (): Problem =>
  invalid('credential', 'does not answer a request of this server within 5 minutes; start again')

const toPasskey = (ctx: Context, row: PasskeyRow) => ({
  id: row.id,
  name: row.name,
  rp_id: row.rp_id,
  on_this_host: relyingPartyOf(ctx)?.id === row.rp_id,
  synced: row.synced,
  created_at: row.created_at,
  ...present({ last_used_at: row.last_used_at }),
})

const list: Handler<typeof declared.listPasskeys> = {
  handle(ctx) {
    const rp = relyingPartyOf(ctx)
    const items = passkeysOf(ctx.db, ctx.actor.id).map((row) => toPasskey(ctx, row))
    return { items, ...(rp && { rp_id: rp.id }), totp_enabled: totpEnabled(ctx.db, ctx.actor.id) }
  },
}

const rename: Handler<typeof declared.renamePasskey> = {
  handle(ctx, { body: { name } }) {
    refuseLink(ctx)
    const { passkey } = ctx.found
    ctx.db.update(passkeys).set({ name }).where(eq(passkeys.id, passkey.id)).run()
    ctx.note({
      ...accountNote(self(ctx)),
      object_id: passkey.id,
      before: { passkey: passkey.name },
      after: { passkey: name },
    })
    return toPasskey(ctx, { ...passkey, name })
  },
}

const remove: Handler<typeof declared.deletePasskey> = {
  handle(ctx) {
    refuseLink(ctx)
    const { passkey } = ctx.found
    const principal = self(ctx)
    if (principal.password_hash === null && countPasskeys(ctx.db, principal.id) === 1)
      throw new Problem('in-use', 'Without a password this passkey is the only way to sign in.')
    ctx.db.delete(passkeys).where(eq(passkeys.id, passkey.id)).run()
    dropUnusedRecoveryCodes(ctx.db, principal.id)
    ctx.note({ ...accountNote(principal), object_id: passkey.id, before: { passkey: passkey.name } })
    return undefined
  },
}

const renew: Handler<typeof declared.renewRecoveryCodes> = {
  handle(ctx) {
    const principal = self(ctx)
    if (!twoFactorEnabled(ctx.db, principal.id))
      throw new Problem('not-configured', 'Set up a second factor first: recovery codes replace it.')
    ctx.note(accountNote(principal))
    return { recovery_codes: issueRecoveryCodes(ctx, principal.id) }
  },
}

export const passkeyOperations = {
  startPasskey: start,
  startPasskeyUser: start,
  addPasskey: add,
  addPasskeyUser: add,
  listPasskeys: list,
  listPasskeysUser: list,
  renamePasskey: rename,
  renamePasskeyUser: rename,
  deletePasskey: remove,
  deletePasskeyUser: remove,
  renewRecoveryCodes: renew,
  renewRecoveryCodesUser: renew,
}
