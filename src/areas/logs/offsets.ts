import { eq } from 'drizzle-orm'
import type { LogPlace } from '../../host/contract/driver.ts'
import type { Db } from '../../store/open.ts'
import { logPlaces } from './tables.ts'

/** How far a log has been counted; undefined: not at all. */
export function placeOf(db: Db, log: string): LogPlace | undefined {
  const found = db.select().from(logPlaces).where(eq(logPlaces.log, log)).get()
  return found && { file: found.file, offset: found.offset }
}

/** Call inside the change that stores the counts: no line is counted twice. */
export function setPlace(db: Db, log: string, { file, offset }: LogPlace, domain_id: string | null = null): void {
  db.insert(logPlaces)
    .values({ log, domain_id, file, offset })
    .onConflictDoUpdate({ target: logPlaces.log, set: { file, offset } })
    .run()
}
