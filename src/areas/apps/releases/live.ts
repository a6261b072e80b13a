import type { Deployed } from '../../../host/contract/driver.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { setApp } from '../store.ts'
import type { AppRow, ReleaseRow } from '../tables.ts'
import { forgetOld, setRelease, supersededOf } from './store.ts'

type Made = Pick<Deployed, 'commit' | 'root' | 'port' | 'hostKey' | 'warnings'> & { readonly sizeBytes: number | null }

/** The healthy release replaces the live one: from here on only a rollback goes back. */
export function goLive(ctx: Pick<Context, 'db' | 'store' | 'now'>, app: AppRow, release: ReleaseRow, made: Made): void {
  const { id } = release
  if (app.current_release_id !== null) setRelease(ctx, app.current_release_id, { status: 'superseded' })
  const { commit, sizeBytes: size_bytes, root } = made
  // A rollback makes nothing anew.
  const warnings = made.warnings.length > 0 ? JSON.stringify(made.warnings) : release.warnings
  setRelease(ctx, id, {
    status: 'live',
    root,
    size_bytes,
    warnings,
    activated_at: ctx.now,
    ...(commit && { commit_id: commit }),
  })
  const host_key = app.host_key ?? made.hostKey ?? null
  setApp(ctx, app.id, { current_release_id: id, port: made.port ?? null, host_key })
  pruneReleases(ctx, app)
  forgetOld(ctx, release)
}

/** Prunes releases beyond `keep_releases`, which includes the live one. */
export function pruneReleases(ctx: Pick<Context, 'db' | 'store'>, { id, keep_releases }: AppRow): void {
  for (const { id: old } of supersededOf(ctx.db, id).slice(keep_releases - 1))
    setRelease(ctx, old, { status: 'pruned' })
}
