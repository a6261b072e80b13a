import { and, eq, ne } from 'drizzle-orm'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { Db } from '../../../store/open.ts'
import { accountById, nameOf } from '../../accounts/store.ts'
import { endDatabase } from '../../mysql/databases.ts'
import { databaseById, databasesFor, userById } from '../../mysql/store.ts'
import { grants } from '../../mysql/tables.ts'
import { endUser } from '../../mysql/users.ts'
import { type WordpressRow, wordpressSites } from '../tables.ts'
import { type InstallRow, wordpressInstalls } from './tables.ts'

/** What the settings of an installation are sealed for. */
export const purpose = 'wordpress installation'

export interface InstallSettings {
  readonly title: string
  readonly adminUser: string
  readonly adminEmail: string
  readonly adminPassword: string
  readonly databasePassword: string
}

export const addInstall = (db: Db, row: InstallRow): void => void db.insert(wordpressInstalls).values(row).run()

export const installOf = (db: Db, site: string): InstallRow | undefined =>
  db.select().from(wordpressInstalls).where(eq(wordpressInstalls.site_id, site)).get()

/** Its passwords are not needed any more. */
export const forgetSettings = (db: Db, site: string): void =>
  void db.update(wordpressInstalls).set({ settings: null }).where(eq(wordpressInstalls.site_id, site)).run()

export const settingsOf = (
  { unseal }: Pick<Runtime, 'unseal'>,
  { settings }: InstallRow,
): InstallSettings | undefined => (settings === null ? undefined : JSON.parse(unseal(purpose, settings)))

/** Deletes the database and the user that were made for a site, unless something else uses them. */
export function endDatabaseOf(ctx: Context, site: WordpressRow): void {
  const made = installOf(ctx.db, site.id)
  const account = accountById(ctx.db, site.account_id)
  const database = made?.database_id ? databaseById(ctx.db, made.database_id) : undefined
  const user = made?.user_id ? userById(ctx.db, made.user_id) : undefined
  if (
    !account ||
    (database && isUsedByOthers(ctx.db, site, { database: database.name, id: database.id, user: user?.id }))
  )
    return
  if (database) endDatabase(ctx, nameOf(account), database)
  if (user && databasesFor(ctx.db, user.id).length === 0) endUser(ctx, nameOf(account), user)
}

interface OwnDatabase {
  readonly database: string
  readonly id: string
  readonly user: string | undefined
}

const isUsedByOthers = (db: Db, site: WordpressRow, { database, id, user }: OwnDatabase): boolean =>
  db
    .select({ id: wordpressSites.id })
    .from(wordpressSites)
    .where(
      and(
        eq(wordpressSites.account_id, site.account_id),
        eq(wordpressSites.database, database),
        ne(wordpressSites.id, site.id),
      ),
    )
    .get() !== undefined ||
  db
    .select({ user: grants.user_id })
    .from(grants)
    .where(and(eq(grants.database_id, id), ne(grants.user_id, user ?? '')))
    .get() !== undefined
