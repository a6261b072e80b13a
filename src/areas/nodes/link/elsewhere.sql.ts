import type Database from 'better-sqlite3'
import { prepared } from '../../../store/prepared.ts'

// By hand, as drizzle cannot name a table that it is not given, and areas that are on nodes must not be imported here.

const onOthers = '@node NOT IN (a.node, a.mail_node, a.database_node)'
const ids = '(SELECT value FROM json_each(@ids))'

interface Lookup {
  readonly ids: string
  readonly node: string
}

/** One query for any number of ids: a node chooses how many it names. */
const statements = prepared((sqlite: Database.Database) => ({
  account: sqlite.prepare<[Lookup], { id: string }>(
    `SELECT a.id FROM accounts AS a WHERE a.id IN ${ids} AND ${onOthers} LIMIT 1`,
  ),
  app: sqlite.prepare<[Lookup], { id: string }>(
    `SELECT apps.id FROM apps JOIN accounts AS a ON a.id = apps.account_id WHERE apps.id IN ${ids} AND ${onOthers} LIMIT 1`,
  ),
}))

/** One of these accounts or apps that the store places on other nodes only. */
export const findElsewhere = (
  sqlite: Database.Database,
  kind: 'account' | 'app',
  ids: readonly string[],
  node: string,
): string | undefined => statements(sqlite)[kind].get({ ids: JSON.stringify(ids), node })?.id
