import type { Feature } from '../../contract/common.ts'
import type { Context } from '../../runtime/context.ts'

interface Restored {
  readonly what: string
  /** Without one it always comes back. */
  readonly feature?: Feature | undefined
}

/** Restores what needs a feature where the account has it; where it does not, it stays as it is, and that is told. */
export function restoreWith(
  ctx: Context,
  account: string,
  { what, feature }: Restored,
  restore: () => readonly string[],
): readonly string[] {
  if (!feature || ctx.runtime.ports.hasFeature(ctx, account, feature)) return restore()
  return [`${what}: not restored, since the feature ${feature} is turned off for this account`]
}
