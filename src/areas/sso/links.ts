import { eq } from 'drizzle-orm'
import type { Context } from '../../runtime/operations/context.ts'
import { links } from './tables.ts'

/** Ends an account's links; inside a change. */
export function endLinks(ctx: Context, accountId: string): void {
  ctx.db.delete(links).where(eq(links.account_id, accountId)).run()
}
