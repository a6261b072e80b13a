import type { Sql } from '../db/client.ts'
import { databasesOf } from '../db/list.ts'
import type { Keeper } from './keeper.ts'

const nameOf = (uid: number): string => `panel_web_${uid}`
const at = (name: string): string => `'${name}'@'localhost'`
const uidIn = (name: string): number => Number(name.slice(nameOf(0).length - 1))
const escaped = (database: string): string => database.replaceAll('_', '\\_')

interface Authors {
  noteAuthor(uid: number, isOne: boolean): void
}

/**
 * A MariaDB user per account, with access to that account's databases while a session lasts. `granted` is told of each account whose user has just
 * got all rights.
 */
export const sqlUsers = (
  sql: Sql,
  authors: Authors,
  granted: (username: string) => Promise<void> = async () => {},
  folder?: string,
): Keeper => ({
  nameFor: ({ account }) => nameOf(account.uid),
  async open({ name, password }, username) {
    await sql([
      `CREATE USER IF NOT EXISTS ${at(name)} IDENTIFIED BY '${password}';`,
      `ALTER USER ${at(name)} IDENTIFIED BY '${password}' ACCOUNT UNLOCK;`,
      `REVOKE ALL PRIVILEGES, GRANT OPTION FROM ${at(name)};`,
      ...databasesOf(username, folder).map(
        (database) => `GRANT ALL PRIVILEGES ON \`${escaped(database)}\`.* TO ${at(name)};`,
      ),
    ])
    await granted(username)
  },
  async end({ name }) {
    await sql([`ALTER USER IF EXISTS ${at(name)} ACCOUNT LOCK;`, `KILL CONNECTION USER ${at(name)};`])
    // Its views and routines would fail without it: keep it, locked, as long as they exist.
    const isAuthor = (await sql(await authored(sql, name))).trim() !== ''
    authors.noteAuthor(uidIn(name), isAuthor)
    if (!isAuthor) await sql([`DROP USER IF EXISTS ${at(name)};`])
  },
})

/** For a removed account. */
export const dropSqlUser = async (sql: Sql, uid: number): Promise<void> =>
  void (await sql([`DROP USER IF EXISTS ${at(nameOf(uid))};`]))

/** Queries for views, triggers, routines or events of its databases with it as their definer. */
async function authored(sql: Sql, name: string): Promise<string[]> {
  const output = await sql([`SELECT DISTINCT REPLACE(Db, '\\\\_', '_') FROM mysql.db WHERE User = '${name}';`])
  const databases = output.split('\n').filter((one) => /^[a-z0-9_]+$/.test(one))
  const within = (column: string) => `${column} IN ('${databases.join("','")}')`
  const author = `DEFINER = '${name}@localhost'`
  const tables = [
    ['VIEWS', 'TABLE_SCHEMA'],
    ['TRIGGERS', 'TRIGGER_SCHEMA'],
    ['ROUTINES', 'ROUTINE_SCHEMA'],
    ['EVENTS', 'EVENT_SCHEMA'],
  ]
  return tables.map(
    ([table, column]) => `SELECT 1 FROM information_schema.${table} WHERE ${within(column!)} AND ${author} LIMIT 1;`,
  )
}
