import { randomBytes } from 'node:crypto'
import { asc, eq } from 'drizzle-orm'
import type { Db } from '../../../store/open.ts'
import { ips } from '../../ips/tables.ts'
import { catalogs } from './tables.ts'

/** What peer secrets are sealed for. */
export const purpose = 'tsig key'

/** A key of TSIG, in base64. */
export const newSecret = (): string => randomBytes(32).toString('base64')

/** Where peers take zones from, and which catalogs there are. */
export function primaryIn(db: Db): { readonly address: string; readonly catalogs: readonly number[] } {
  const { address } = db.select({ address: ips.address }).from(ips).where(eq(ips.main, true)).get()!
  const known = db.select({ number: catalogs.number }).from(catalogs).orderBy(asc(catalogs.number)).all()
  return { address, catalogs: known.length > 0 ? known.map(({ number }) => number) : [1] }
}
