import { asc, gt } from 'drizzle-orm'
import type { Db } from '../../store/open.ts'
import { domains } from '../domains/tables.ts'

/** Reading a large store at once would block requests. */
const length = 1_000

/** Domains by id, after `after` and up to `last`. */
export interface Stretch {
  readonly after: string
  readonly last: string
  /** It is the last one. */
  readonly ends: boolean
}

/** The next stretch of domains; undefined at the end. */
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
