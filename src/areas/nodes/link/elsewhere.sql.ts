import type Database from 'better-sqlite3'
import { prepared } from '../../../store/prepared.ts'

// By hand, as drizzle cannot name a table that it is not given, and areas that are on nodes must not be imported here.

const places = 'a.node, a.mail_node, a.database_node'

const statements = prepared((sqlite: Database.Database) => ({
  account: sqlite.prepare<[string], Record<string, string>>(`SELECT ${places} FROM accounts AS a WHERE a.id = ?`),
  app: sqlite.prepare<[string], Record<string, string>>(
    `SELECT ${places} FROM apps JOIN accounts AS a ON a.id = apps.account_id WHERE apps.id = ?`,
  ),
}))

/** Whether the store places an account, or an app's account, on other nodes only. */
export function isElsewhere(sqlite: Database.Database, kind: 'account' | 'app', id: string, node: string): boolean {
  const placed = statements(sqlite)[kind].get(id)
  return placed !== undefined && !Object.values(placed).includes(node)
}
