import type * as declared from '../../contract/mysql.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { present } from '../../runtime/operations/list.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { getSetting, type Settings } from '../../runtime/settings/settings.ts'
import { MAX_DATABASE_NAME_LENGTH, MAX_USER_NAME_LENGTH } from '../../shared/sql/names.ts'
import type { Db } from '../../store/open.ts'
import { fullAccount } from '../accounts/store.ts'
import { hostOf } from '../host/host.ts'
import { databasesOf } from './store.ts'

declare module '../../runtime/settings/settings.ts' {
  interface Settings {
    mysql_public: boolean
  }
}

export const settings = { mysql_public: false }

/** Whether the server accepts connections from other machines. */
export const isPublic = (db: Db): boolean => getSetting(db, 'mysql_public') ?? settings.mysql_public

/** Has the host reconfigure MariaDB; the directory driver has none. */
export function listenAnew(ctx: Context, changed: Partial<Settings>): void {
  if ('mysql_public' in changed && hostOf(ctx.runtime).kind === 'debian') ctx.enqueue({ kind: 'host.apply' })
}

const port = 3306

export const getMysqlServer: Handler<typeof declared.getMysqlServer> = {
  handle(ctx) {
    const account = fullAccount(ctx)
    return {
      host: isPublic(ctx.db) ? ctx.runtime.hostname : 'localhost',
      port,
      prefix: account.db_prefix,
      max_database_name: MAX_DATABASE_NAME_LENGTH,
      max_user_name: MAX_USER_NAME_LENGTH,
      databases: present({ used: databasesOf.count(ctx.db, account.id), limit: account.max_sql }),
    }
  },
}
