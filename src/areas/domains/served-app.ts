import { and, eq } from 'drizzle-orm'
import type { Context } from '../../runtime/operations/context.ts'
import { setDomain } from './store.ts'
import { type DomainRow, domains, siteValues } from './tables.ts'

type Writes = Pick<Context, 'store' | 'db'>

/** Makes the domain show an app; the caller applies it. */
export const showApp = (ctx: Pick<Context, 'store' | 'now'>, { id }: DomainRow, app_id: string): void =>
  setDomain(ctx, id, { handler: 'app', app_id, updated_at: ctx.now })

const showing = ({ db }: Writes, app: string): DomainRow[] =>
  db
    .select()
    .from(domains)
    .where(and(eq(domains.app_id, app), eq(domains.handler, 'app')))
    .all()

/** Records that the host shows it. */
export function settleServedApp(ctx: Writes, app: string): void {
  for (const domain of showing(ctx, app)) setDomain(ctx, domain.id, { applied: siteValues(domain) })
}

/** After an app's removal, its domains return to what was last applied. */
export function unshowApp(ctx: Writes, app: string): void {
  for (const { id, applied } of showing(ctx, app))
    setDomain(ctx, id, applied.app_id === app ? { handler: 'static', app_id: null } : applied)
}
