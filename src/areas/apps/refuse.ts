import { Problem } from '../../contract/problem.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { FoundAccount } from '../accounts/objects/find-account.ts'
import { refuseDeleting } from '../accounts/operations/deleting.ts'
import type { AppRow } from './tables.ts'

/** The account and the app of an operation's path. */
export interface OfApp {
  readonly found: { readonly account: FoundAccount; readonly app: AppRow }
}

/** 409 `suspended`: this would run the account's code. */
export function refuseSuspended({ found: { account } }: Context & OfApp): void {
  if (account.suspended_at !== null) throw new Problem('suspended', `${account.username} is suspended.`)
}

/** 409 `busy` for an app being deleted. */
export const refuseGone = ({ found: { app } }: OfApp): void => refuseDeleting(app.name, app)

/** 409 `busy` during a deploy. */
export function refuseDeploying(ctx: OfApp): void {
  refuseGone(ctx)
  const { name, deploying_release_id } = ctx.found.app
  if (deploying_release_id !== null)
    throw new Problem('busy', `${name} is being deployed. Wait for it, or cancel its job.`)
}

/** 409 `release-unavailable` before the first deploy. */
export function refuseNew({ found: { app } }: OfApp): void {
  if (app.current_release_id === null)
    throw new Problem('release-unavailable', `${app.name} has no release yet: deploy one first.`)
}

export const laneOf = ({ id }: Pick<AppRow, 'id'>): string => `app:${id}`
