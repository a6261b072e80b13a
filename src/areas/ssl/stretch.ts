import { asc, gt } from 'drizzle-orm'
import type { Db } from '../../store/open.ts'
import { domains } from '../domains/tables.ts'

/** A large store must not be read at once: requests wait for it. */
const length = 1_000

/** Domains by id, behind `after` and up to `last`. */
export interface Stretch {
  readonly after: string
  readonly last: string
  /** None are behind it. */
  readonly ends: boolean
}

/** The next domains to look at; none where there are no more. */
export function stretchAfter(db: Db, after: string): Stretch | undefined {
  const ids = db
    .select({ id: domains.id })
    .from(domains)
    .where(gt(domains.id, after))
    .orderBy(asc(domains.id))
    .limit(length)
    .all()
  const last = ids.at(-1)?.id
  return last === undefined ? undefined : { after, last, ends: ids.length < length }
}
