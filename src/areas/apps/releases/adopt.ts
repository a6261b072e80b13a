import type { Context } from '../../../runtime/operations/context.ts'
import { isProgram } from '../kinds.ts'
import { setApp } from '../store.ts'
import type { AppRow, ReleaseRow } from '../tables.ts'
import type { FoundReleases } from './found.ts'
import { goLive } from './live.ts'
import { addRelease, releaseById, releaseNumbered, setRelease, supersededOf, warningsOf } from './store.ts'

type AdoptContext = Pick<Context, 'db' | 'store' | 'now' | 'id'>

/** Makes the home's current release the live one, and prunes those whose files are gone. */
export function adopt(ctx: AdoptContext, app: AppRow, found: FoundReleases): void {
  const { current, numbers } = found
  if (current === undefined || app.deploying_release_id !== null) return
  if (numberOf(ctx, app) !== current) showRelease(ctx, app, current, found)
  for (const { id, number } of supersededOf(ctx.db, app.id))
    if (!numbers.has(number)) setRelease(ctx, id, { status: 'pruned' })
}

const numberOf = ({ db }: AdoptContext, { current_release_id: id }: AppRow): number | undefined =>
  id === null ? undefined : releaseById(db, id)?.number

function showRelease(ctx: AdoptContext, app: AppRow, number: number, { hasPublic }: FoundReleases): void {
  const release = releaseNumbered(ctx.db, app.id, number) ?? added(ctx, app, number)
  const root = release.root ?? (hasPublic && !isProgram(app.kind) ? 'public' : '.')
  const { size_bytes: sizeBytes } = release
  setRelease(ctx, release.id, { error: null })
  goLive(ctx, app, release, {
    root,
    sizeBytes,
    warnings: warningsOf(release),
    ...(app.port !== null && { port: app.port }),
  })
  const last_number = Math.max(app.last_number, number)
  setApp(ctx, app.id, { last_number, observed: app.running ? 'starting' : 'stopped', status_reason: null })
}

/** A release known only by its files. */
function added(ctx: AdoptContext, app: AppRow, number: number): ReleaseRow {
  const release = releaseOf(ctx, app, { number, source: app.git_url === null ? 'archive' : 'git' })
  addRelease(ctx, release)
  return release
}

/** A release that none of this app's jobs has made. */
export function releaseOf(
  ctx: Pick<AdoptContext, 'id' | 'now'>,
  app: Pick<AppRow, 'id'>,
  known: Pick<ReleaseRow, 'number' | 'source'> & Partial<ReleaseRow>,
): ReleaseRow {
  const id = ctx.id()
  return {
    ref: null,
    commit_id: null,
    root: null,
    size_bytes: null,
    created_at: ctx.now,
    activated_at: null,
    ...known,
    id,
    app_id: app.id,
    upload_id: null,
    status: 'pruned',
    error: null,
    warnings: null,
    job_id: id,
  }
}
