import type { Feature } from '../../../contract/common.ts'
import type { Context } from '../../../runtime/operations/context.ts'

interface RestoredAccount {
  readonly what: string
  /** Without one it is always restored. */
  readonly feature?: Feature | undefined
}

/** Restores what needs a feature if the account has it; otherwise leaves it as it is, and says so. */
export function restoreWith(
  ctx: Context,
  account: string,
  { what, feature }: RestoredAccount,
  restore: () => readonly string[],
): readonly string[] {
  if (!feature || ctx.runtime.ports.hasFeature(ctx, account, feature)) return restore()
  return [`${what}: not restored, since the feature ${feature} is turned off for this account`]
}
