import { and, count, eq } from 'drizzle-orm'
import type { z } from 'zod'
import type { FtpAccount } from '../../contract/ftp.ts'
import type { Reads } from '../../runtime/operations/context.ts'
import { present } from '../../runtime/operations/list.ts'
import type { Db } from '../../store/open.ts'
import { objectsOf } from '../accounts/objects/objects.ts'
import { domainById } from '../domains/store.ts'
import { addressIn, addressOf } from '../email/address.ts'
import { type FtpRow, ftpAccounts } from './tables.ts'

export const ftpAccountsOf = objectsOf(ftpAccounts, { noun: 'FTP account', name: addressIn(ftpAccounts) })

export const ftpAccountById = (db: Db, id: string): FtpRow | undefined =>
  db.select().from(ftpAccounts).where(eq(ftpAccounts.id, id)).get()

export const ftpAccountAt = (db: Db, { domain_id, local }: Pick<FtpRow, 'domain_id' | 'local'>): FtpRow | undefined =>
  db
    .select()
    .from(ftpAccounts)
    .where(and(eq(ftpAccounts.domain_id, domain_id), eq(ftpAccounts.local, local)))
    .get()

export const setFtpAccount = ({ db }: Reads, id: string, values: Partial<FtpRow>): void => {
  if (Object.keys(values).length > 0) db.update(ftpAccounts).set(values).where(eq(ftpAccounts.id, id)).run()
}

/** How many logins are at a domain. */
export const loginsAt = (db: Db, domain: string): number =>
  db.select({ total: count() }).from(ftpAccounts).where(eq(ftpAccounts.domain_id, domain)).get()!.total

export const hasFtpAccounts = (db: Db): boolean =>
  db.select({ id: ftpAccounts.id }).from(ftpAccounts).limit(1).get() !== undefined

export const loginOf = addressOf

/** Row to resource (contract: FtpAccount). */
export const toFtpAccount = ({ db }: Reads, row: FtpRow): z.input<typeof FtpAccount> => ({
  id: row.id,
  login: loginOf(db, row),
  domain: domainById(db, row.domain_id)!.name,
  directory: row.directory,
  password_changed_at: row.password_changed_at,
  status: row.status,
  created_at: row.created_at,
  ...present({ quota_mb: row.quota_mb }),
})
