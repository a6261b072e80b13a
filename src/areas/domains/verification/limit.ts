import { Problem } from '../../../contract/problem.ts'
import { isRoot } from '../../../runtime/operations/actor.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { countUnverified } from './store.ts'

/** Main, addon and alias domains of an account. */
const MAX_UNVERIFIED = 20

/** 409 `too-many` for another name while so many are unverified. */
export function refuseManyUnverified(ctx: Pick<Context, 'actor' | 'db'>, account: string): void {
  if (isRoot(ctx.actor) || countUnverified(ctx.db, account) < MAX_UNVERIFIED) return
  throw new Problem('too-many', `${MAX_UNVERIFIED} domains of the account are not verified; verify some first.`)
}
