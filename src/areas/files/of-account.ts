import type { FilesFromAfar } from '../../host/contract/client.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { hostNameOf } from '../accounts/objects/state.ts'
import { fullAccount } from '../accounts/store.ts'
import { hostOf } from '../host/host.ts'

export type OfAccount = Context & { readonly found: { readonly account: { readonly id: string } } }

/** The files of the path's account. */
export const filesOf = (ctx: OfAccount): FilesFromAfar => hostOf(ctx.runtime).files(hostNameOf(fullAccount(ctx)))
