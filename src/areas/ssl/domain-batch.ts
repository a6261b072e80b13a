import { asc, gt } from 'drizzle-orm'
import type { Db } from '../../store/open.ts'
import { domains } from '../domains/tables.ts'

/** Reading a large store at once would block requests. */
export const BATCH_SIZE = 1_000

/** Domains by id, after `after` and up to `last`. */
export interface DomainBatch {
  readonly after: string
  readonly last: string
  /** It is the last one. */
  readonly ends: boolean
}

/** The next stretch of domains; undefined at the end. */
export function batchAfter(db: Db, after: string): DomainBatch | undefined {
  const ids = db
    .select({ id: domains.id })
    .from(domains)
    .where(gt(domains.id, after))
    .orderBy(asc(domains.id))
    .limit(BATCH_SIZE)
    .all()
  const last = ids.at(-1)?.id
  return last === undefined ? undefined : { after, last, ends: ids.length < BATCH_SIZE }
}
