import type { Context } from '../../runtime/operations/context.ts'
import { getSetting } from '../../runtime/settings/settings.ts'
import { defaultHandlerOf, mayHave } from './hosts.ts'

declare module '../../runtime/settings/settings.ts' {
  interface Settings {
    /** Of new domains; null: `apache` where it is set up, else `php`. */
    default_handler: 'static' | 'php' | 'php-front' | 'apache' | null
  }
}

/** What answers at a new domain of an account. */
export function defaultHandler(ctx: Context, account: string) {
  const handler = getSetting(ctx.db, 'default_handler')
  if (!handler) return defaultHandlerOf(ctx.runtime, ctx.runtime.ports.nodeOf(ctx.db, account))
  return handler === 'apache' && !mayHave(ctx, account, 'apache') ? 'php' : handler
}
