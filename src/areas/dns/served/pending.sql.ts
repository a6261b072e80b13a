import type Database from 'better-sqlite3'
import { prepared } from '../../../store/prepared.ts'
import type { ServedRow } from './tables.ts'

// By hand: the statements name their index, which drizzle cannot, for each job that is asked for and each that ends.

const queries = prepared((sqlite: Database.Database) => ({
  nodes: sqlite
    .prepare<[], string>(
      `SELECT name FROM nodes WHERE EXISTS (
         SELECT 1 FROM dns_served INDEXED BY dns_served_due WHERE node = nodes.name AND due <> 0 AND due > 0)`,
    )
    .pluck(),
  rows: sqlite.prepare<[string], ServedRow>(
    `SELECT node, account_id, due FROM dns_served INDEXED BY dns_served_due
     WHERE node = ? AND due <> 0 ORDER BY account_id`,
  ),
  failed: sqlite.prepare<[ServedRow]>(
    `UPDATE dns_served SET due = -due
     WHERE node = @node AND account_id = @account_id AND due = @due AND due > 0`,
  ),
  allFailed: sqlite.prepare<[string]>('UPDATE dns_served SET due = -due WHERE node = ? AND due > 0'),
}))

/** Nodes with zones to update. */
export const pendingNodes = (sqlite: Database.Database): string[] => queries(sqlite).nodes.all()

/** What to send to a node, ordered by account. */
export const pendingFor = (sqlite: Database.Database, node: string): ServedRow[] => queries(sqlite).rows.all(node)

/** Sending failed: the next change, or a sweep, retries. Later changes are still due. */
export const noteFailed = (sqlite: Database.Database, row: ServedRow): void => void queries(sqlite).failed.run(row)

/** What the node has is unknown. */
export const noteAllFailed = (sqlite: Database.Database, node: string): void => void queries(sqlite).allFailed.run(node)
