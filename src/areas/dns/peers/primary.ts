import { randomBytes } from 'node:crypto'
import { asc, eq } from 'drizzle-orm'
import type { Db } from '../../../store/open.ts'
import { ips } from '../../ips/tables.ts'
import { catalogs } from './tables.ts'

/** The encryption purpose of peer secrets. */
export const purpose = 'tsig key'

/** A TSIG key, in base64. */
export const newSecret = (): string => randomBytes(32).toString('base64')

/** The address that peers transfer zones from, and the catalogs. */
export function primaryIn(db: Db): { readonly address: string; readonly catalogs: readonly number[] } {
  const { address } = db.select({ address: ips.address }).from(ips).where(eq(ips.main, true)).get()!
  const known = db.select({ number: catalogs.number }).from(catalogs).orderBy(asc(catalogs.number)).all()
  return { address, catalogs: known.length > 0 ? known.map(({ number }) => number) : [1] }
}
