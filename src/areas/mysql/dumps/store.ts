import { and, eq, gt } from 'drizzle-orm'
import type { DumpImported } from '../../../host/contract/driver.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { day } from '../../../shared/time.ts'
import type { Db } from '../../../store/open.ts'
import { exportedDumps, imports } from '../tables.ts'

/** How long an export waits for its download. */
const EXPORT_RETENTION_MS = day

export const lastImport = (db: Db, database: string) =>
  db.select().from(imports).where(eq(imports.database_id, database)).get()

export function noteImport(
  { db, now }: Pick<Context, 'db' | 'now'>,
  database: string,
  job: string,
  done: DumpImported,
) {
  const { tables, rows, bytes, warnings } = done
  const result = { job_id: job, finished_at: now, tables, rows, bytes, warnings: [...warnings] }
  db.insert(imports)
    .values({ database_id: database, ...result })
    .onConflictDoUpdate({ target: imports.database_id, set: result })
    .run()
}

/** A database's last export, while it can be downloaded. */
export const lastExport = ({ db, now }: Pick<Context, 'db' | 'now'>, database: string) =>
  db
    .select()
    .from(exportedDumps)
    .where(and(eq(exportedDumps.database_id, database), gt(exportedDumps.expires_at, now)))
    .get()

export function noteExport(
  { db, now }: Pick<Context, 'db' | 'now'>,
  database: string,
  job: string,
  file: string,
): void {
  const result = { job_id: job, file, expires_at: now + EXPORT_RETENTION_MS }
  db.insert(exportedDumps)
    .values({ database_id: database, ...result })
    .onConflictDoUpdate({ target: exportedDumps.database_id, set: result })
    .run()
}
