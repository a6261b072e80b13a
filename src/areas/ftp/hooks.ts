import { and, eq, sql } from 'drizzle-orm'
import type { HostParts } from '../../host/contract/driver.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Db } from '../../store/open.ts'
import type { FullAccount } from '../accounts/store.ts'
import type { DomainPart } from '../domains/part.ts'
import { ftpAccountsOf, loginOf, loginsAt } from './store.ts'
import { ftpAccounts } from './tables.ts'

/** The account's logins for the host's desired state. Until an imported account is activated, it has none. */
export const ftpHost = (
  db: Db,
  { id, importing_since }: Pick<FullAccount, 'id' | 'importing_since'>,
): HostParts['ftp'] => ({
  logins: ftpAccountsOf
    .all(db, id)
    .filter(({ status }) => status !== 'deleting' && importing_since === null)
    .map((row) => ({
      login: loginOf(db, row),
      hash: row.hash,
      directory: row.directory,
      ...(row.quota_mb === null ? {} : { quotaMb: row.quota_mb }),
    })),
})

/** Updates logins whose directory moves within the home. */
function moveDirectories({ db }: Context, account: string, from: string, to: string): void {
  const inside = sql`(${ftpAccounts.directory} || '/') LIKE ${`${from.replaceAll('_', '\\_')}/%`} ESCAPE '\\'`
  db.update(ftpAccounts)
    .set({ directory: sql`${to} || substr(${ftpAccounts.directory}, ${from.length + 1})` })
    .where(and(eq(ftpAccounts.account_id, account), inside))
    .run()
}

export const ofDomain = {
  emptied: ({ db }, { id }) => void db.delete(ftpAccounts).where(eq(ftpAccounts.domain_id, id)).run(),
  uses: (db, { id }) => ({ count: loginsAt(db, id), noun: 'FTP login' }),
  /** A main domain's directory moves with its name, unless others use it too: then its document root stays. */
  changed(ctx, before, after) {
    if (before.document_root !== after.document_root)
      moveDirectories(ctx, after.account_id, `sites/${before.name}`, `sites/${after.name}`)
  },
} satisfies DomainPart
