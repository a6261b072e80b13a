import { invalid, Problem } from '../../../contract/problem.ts'
import type * as declared from '../../../contract/sessions.ts'
import { unauthenticated } from '../../../runtime/operations/authorize.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Handler } from '../../../runtime/operations/run.ts'
import { hashPassword, passwordFits } from '../../../runtime/security/password.ts'
import { publicUrl } from '../../../runtime/settings/server-names.ts'
import { getSetting } from '../../../runtime/settings/settings.ts'
import { sameSecret } from '../../../shared/same-secret.ts'
import { accountById } from '../../accounts/store.ts'
import { isMailReady } from '../../mailer/mailer.ts'
import { queueMail } from '../../mailer/outbox.ts'
import { LINKS } from '../../mailer/shares.ts'
import { brandOf } from '../../resellers/brand/store.ts'
import { emitChanged, keepPassword, type Principal } from '../principal.ts'
import { accountNote, actorOf, refuseForeignOrigin, turnOfStranger } from '../sign-in.ts'
import { endSessionsOf } from '../store.ts'
import { reserve } from '../throttle.ts'
import { letterOf } from './letter.ts'
import { createReset, endResets, LINK_LIFE_MS, type Recipient, recipientsOf, resetPrincipal } from './store.ts'

const getPasswordReset: Handler<typeof declared.getPasswordReset> = {
  handle: (ctx) => ({ available: isMailReady(ctx.runtime) }),
}

/** Looks the name up after the answer, whose time thus tells nothing about it. */
const requestPasswordReset: Handler<typeof declared.requestPasswordReset> = {
  handle(ctx, { body }) {
    refuseForeignOrigin(ctx)
    if (!isMailReady(ctx.runtime)) throw new Problem('not-configured', 'This server does not send mail.')
    const name = body.username.trim().toLowerCase()
    reserveRequest(ctx, name)
    ctx.afterCommit(() => void setImmediate(sendLinks, ctx, name))
    return undefined
  },
}

function reserveRequest(ctx: Context, name: string): void {
  try {
    reserve(ctx, 'reset', name)
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'rate-limited') throw error
    throw new Problem('rate-limited', 'Too many requests; try again later.', undefined, error.headers)
  }
}

const sendLinks = (ctx: Context, name: string): Promise<void> =>
  ctx.store
    .change(() => {
      for (const recipient of recipientsOf(ctx.db, name)) sendLink(ctx, recipient)
    })
    .catch((error: unknown) => ctx.runtime.log.error({ err: error }, 'a password link could not be sent'))

function sendLink(ctx: Context, recipient: Recipient): void {
  const token = createReset(ctx, recipient)
  if (token === undefined) return
  const { principal, address, locale } = recipient
  const { runtime, db } = ctx
  const url = `${new URL(publicUrl(runtime)).origin}/reset-password?token=${token}`
  const { hostname: server } = runtime
  const letter = letterOf(locale, { username: principal.name, server, url, until: ctx.now + LINK_LIFE_MS })
  const fromName = brandOf(db, principal.owner_id).name ?? server
  const mail = { to: address, fromName, ...letter, replyTo: contactOfOwner(ctx, principal) }
  queueMail(ctx, mail, { lifetimeMs: LINK_LIFE_MS, share: LINKS })
}

const contactOfOwner = ({ db }: Context, { owner_id }: Principal): string | undefined =>
  (owner_id === getSetting(db, 'root_id')
    ? getSetting(db, 'contact_email')
    : accountById(db, owner_id)?.contact_email) || undefined

interface Replaced {
  readonly principal: Principal
  readonly hash: string
}

const completePasswordReset: Handler<typeof declared.completePasswordReset, Replaced> = {
  async prepare(ctx, { body: { token, new_password } }) {
    refuseForeignOrigin(ctx)
    const principal = resetPrincipal(ctx, token) ?? refuse()
    const turn = turnOfStranger(ctx, principal.id)
    if (principal.password_hash && (await passwordFits(new_password, principal.password_hash, turn)))
      throw invalid('new_password', 'must differ from the current one')
    return { principal, hash: await hashPassword(new_password, turn) }
  },
  handle(ctx, { body }, { principal: checked, hash }) {
    const principal = resetPrincipal(ctx, body.token) ?? refuse()
    if (!sameSecret(principal.password_hash ?? '', checked.password_hash ?? '')) refuse()
    keepPassword(ctx.db, principal, hash, ctx.now)
    endSessionsOf(ctx, principal.id)
    endResets(ctx, principal.id)
    ctx.note({ actor: actorOf(ctx, principal), ...accountNote(principal) })
    emitChanged(ctx, principal)
    return undefined
  },
}

function refuse(): never {
  throw unauthenticated('The link has been used, has expired or does not exist. Request a new one.')
}

export const passwordResetOperations = { getPasswordReset, requestPasswordReset, completePasswordReset }
