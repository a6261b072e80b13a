import type { FilesFromAfar } from '../../host/client.ts'
import type { Context } from '../../runtime/context.ts'
import { hostNameOf } from '../accounts/state.ts'
import { wholeAccount } from '../accounts/store.ts'
import { hostOf } from '../host/host.ts'

export type OfAccount = Context & { readonly found: { readonly account: { readonly id: string } } }

/** The files of the path's account. */
export const filesOf = (ctx: OfAccount): FilesFromAfar => hostOf(ctx.runtime).files(hostNameOf(wholeAccount(ctx)))
