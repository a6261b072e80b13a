import { invalid } from '../../contract/problem.ts'
import type { CheckedPassword, NewOwnPassword } from '../../runtime/areas/ports.ts'
import { type Turn, turnOfCaller } from '../../runtime/jobs/shares.ts'
import { unauthenticated } from '../../runtime/operations/authorize.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { hashPassword, passwordFits } from '../../runtime/security/password.ts'
import { sameSecret } from '../../shared/same-secret.ts'
import { type Principal, principalOf } from './principal.ts'
import { type Attempt, release, reserve, reserveCode } from './throttle.ts'

interface Checked extends CheckedPassword {
  readonly attempt: Attempt | undefined
}

const panelOf = ({ actor }: Context) => (actor.type === 'account' ? 'user' : 'admin')

/** The acting principal; on the local socket, root without a session. */
export function self(ctx: Context): Principal {
  const { type, id } = ctx.actor
  const principal = principalOf(ctx.db, panelOf(ctx), type === 'system' ? 'root' : type, id)
  if (!principal) throw unauthenticated()
  return principal
}

/** Reserves a guess in its own change before trying it, so that a wrong one counts. */
export const guess = (ctx: Context): Promise<Attempt | undefined> =>
  ctx.store.change(() => reserve(ctx, panelOf(ctx), ctx.actor.name))

/** The same for a code. */
export const guessCode = (ctx: Context): Promise<Attempt | undefined> =>
  ctx.store.change(() => reserveCode(ctx, panelOf(ctx), ctx.actor))

interface Comparison {
  readonly password: string
  readonly hash: string
  readonly turn: Turn | undefined
}

/** Whether a password fits. An attempt that the queue refuses was no guess. */
export async function compared(
  ctx: Context,
  attempt: Attempt | undefined,
  { password, hash, turn }: Comparison,
): Promise<boolean> {
  try {
    return await passwordFits(password, hash, turn)
  } catch (error) {
    await ctx.store.change(() => release(ctx, attempt))
    throw error
  }
}

/** Checks the caller's password from a field. */
export async function checkOwnPassword(ctx: Context, field: string, password: string): Promise<Checked> {
  const attempt = await guess(ctx)
  const { password_hash } = self(ctx)
  const fits =
    password_hash !== null && (await compared(ctx, attempt, { password, hash: password_hash, turn: turnOfCaller(ctx) }))
  if (!fits) throw invalid(field, 'is wrong')
  return { password_hash, attempt }
}

/** The acting principal, if the checked password is still the current one. Inside a change. */
export function confirmOwnPassword(ctx: Context, field: string, checked: CheckedPassword): Principal {
  const principal = self(ctx)
  if (!sameSecret(principal.password_hash ?? '', checked.password_hash)) throw invalid(field, 'is wrong')
  release(ctx, (checked as Checked).attempt)
  return principal
}

/** Checks the current password and hashes the new one. */
export async function prepareOwnPassword(
  ctx: Context,
  { current_password, new_password }: { current_password: string; new_password: string },
): Promise<NewOwnPassword> {
  const checked = await checkOwnPassword(ctx, 'current_password', current_password)
  if (new_password === current_password) throw invalid('new_password', 'must differ from the current one')
  return { checked, hash: await hashPassword(new_password, turnOfCaller(ctx)) }
}
