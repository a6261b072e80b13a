import { eq } from 'drizzle-orm'
import type { Context } from '../../../runtime/operations/context.ts'
import { getSetting } from '../../../runtime/settings/settings.ts'
import { jobs } from '../../../runtime/tables.ts'
import { importSettings } from '../limits.ts'
import { oldestQueued, running, setImport } from '../store.ts'

/** Far enough: it is made due when another import ends. */
const YEAR_MS = 365 * 24 * 60 * 60_000

/** Lets the import begin, or wait until fewer than `import_parallel` are running. */
export function admit(ctx: Context, id: string, job: string): void {
  const limit = getSetting(ctx.db, 'import_parallel') ?? importSettings.import_parallel
  if (running(ctx.db) < limit) return setImport(ctx, id, { status: 'running' })
  setImport(ctx, id, { status: 'queued' })
  due(ctx, job, ctx.now + YEAR_MS)
}

/** Begins the oldest of the imports that wait, as an import has ended. */
export function admitNext(ctx: Context): void {
  const limit = getSetting(ctx.db, 'import_parallel') ?? importSettings.import_parallel
  for (let next = oldestQueued(ctx.db); next && running(ctx.db) < limit; next = oldestQueued(ctx.db)) {
    setImport(ctx, next.id, { status: 'running' })
    due(ctx, next.job_id!, ctx.now)
  }
  const { signals } = ctx.runtime
  ctx.afterCommit(() => signals.emit('job'))
}

const due = ({ db }: Context, job: string, run_at: number): void =>
  void db.update(jobs).set({ run_at }).where(eq(jobs.id, job)).run()
