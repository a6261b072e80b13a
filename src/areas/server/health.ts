import { statfsSync, statSync } from 'node:fs'
import { availableParallelism, freemem, loadavg, totalmem, uptime } from 'node:os'
import { dirname } from 'node:path'
import { and, count, eq, gt, inArray, lt, max, ne } from 'drizzle-orm'
import type * as declared from '../../contract/server.ts'
import { version } from '../../contract/version.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { day } from '../../shared/time.ts'
import { backups } from '../backups/tables.ts'
import { certificates } from '../ssl/tables.ts'

/** Automatic certificates are renewed earlier: one that ends so soon has failed. */
const DUE_WITHIN_DAYS = 14

/** What an administrator looks at first: the machine, certificates and backups. */
export const getServerHealth: Handler<typeof declared.getServerHealth> = {
  handle: (ctx) => ({
    version,
    uptime_s: Math.floor(uptime()),
    cpus: availableParallelism(),
    load: loads(),
    memory: { used_mb: megabytes(totalmem() - freemem()), total_mb: megabytes(totalmem()) },
    disks: disksOf([dirname(ctx.store.sqlite.name), '/home']),
    certificates_due: certificatesDue(ctx),
    backups: lastBackups(ctx),
  }),
}

const megabytes = (bytes: number): number => Math.round(bytes / 1024 / 1024)

function loads() {
  const [one_pct = 0, five_pct = 0, fifteen_pct = 0] = loadavg().map((load) =>
    Math.round((load / availableParallelism()) * 100),
  )
  return { one_pct, five_pct, fifteen_pct }
}

/** Each file system once. */
function disksOf(paths: readonly string[]) {
  const devices = new Set<number>()
  return paths.flatMap((path) => {
    const found = statSync(path, { throwIfNoEntry: false })
    if (!found || devices.has(found.dev)) return []
    devices.add(found.dev)
    const { blocks, bavail, bsize } = statfsSync(path)
    return [{ path, used_mb: megabytes((blocks - bavail) * bsize), total_mb: megabytes(blocks * bsize) }]
  })
}

function certificatesDue({ db, now }: Context): number {
  const due = lt(certificates.not_after, now + DUE_WITHIN_DAYS * day)
  const where = and(eq(certificates.used, true), ne(certificates.kind, 'self_signed'), due)
  return db.select({ total: count() }).from(certificates).where(where).get()!.total
}

function lastBackups({ db, now }: Context) {
  const complete = db
    .select({ at: max(backups.finished_at) })
    .from(backups)
    .where(eq(backups.status, 'complete'))
    .get()
  const failed = and(inArray(backups.status, ['failed', 'incomplete', 'damaged']), gt(backups.created_at, now - day))
  const { total } = db.select({ total: count() }).from(backups).where(failed).get()!
  return { ...(complete?.at != null && { last_at: complete.at }), failed: total }
}
