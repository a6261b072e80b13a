import type { AccountState, Belongings, Difference } from '../../contract/driver.ts'
import { HostError } from '../../contract/error.ts'
import { type ActualDb, actualQueries, readActual } from '../../parts/db/actual.ts'
import { type DesiredDb, planDb } from '../../parts/db/plan.ts'
import { type Sql, withoutHashes } from './client.ts'
import { databasesOf, listFolder } from './list.ts'
import { removal } from './removal.ts'

/** KILL describes no state, so it never counts as a difference. */
const isState = (statement: string): boolean => !statement.startsWith('KILL ')

const isEmpty = ({ databases, users }: DesiredDb): boolean => databases.length + users.length === 0

const desiredOf = ({ parts, suspended }: AccountState): DesiredDb => ({ ...parts.db, locked: suspended })

const sizes =
  "SELECT SUBSTRING_INDEX(NAME, '/', 1), SUM(FILE_SIZE) FROM information_schema.INNODB_SYS_TABLESPACES WHERE NAME LIKE '%/%' GROUP BY 1;"

/** Accounts' databases on the machine's own MariaDB. */
export class Databases {
  readonly #sql: Sql
  readonly #folder: string

  constructor(sql: Sql, folder = listFolder) {
    this.#sql = sql
    this.#folder = folder
  }

  async #actual(prefix: string): Promise<ActualDb> {
    return readActual(await this.#sql(actualQueries(prefix)))
  }

  /** Reconciles the server, and verifies the result. */
  async apply(account: AccountState): Promise<void> {
    const desired = desiredOf(account)
    if (isEmpty(desired)) return
    const plan = planDb(desired, await this.#actual(desired.prefix))
    if (plan.length === 0) return
    await this.#sql(plan)
    const [left] = planDb(desired, await this.#actual(desired.prefix)).filter(isState)
    if (left) throw new HostError('validate', `MariaDB did not take over: ${withoutHashes(left)}`)
  }

  /** Drops an account's databases and users by name. */
  async remove({ databases, databaseUsers }: Belongings): Promise<void> {
    const prefixes = new Set([...databases, ...databaseUsers].map((name) => name.slice(0, name.indexOf('_') + 1)))
    for (const prefix of prefixes) {
      const plan = removal({ databases, databaseUsers }, await this.#actual(prefix))
      if (plan.length > 0) await this.#sql(plan)
    }
  }

  /** What would have to change on the server. */
  async differences(account: AccountState): Promise<Difference[]> {
    const desired = desiredOf(account)
    if (isEmpty(desired)) return []
    const plan = planDb(desired, await this.#actual(desired.prefix)).filter(isState)
    return plan.map((statement) => ({
      path: `mariadb:${desired.prefix}`,
      change: 'changed',
      note: withoutHashes(statement),
    }))
  }

  /** The database sizes of each of these accounts, by username. */
  async sizes(usernames: readonly string[]): Promise<Map<string, { name: string; bytes: number }[]>> {
    const names = new Map(usernames.map((username) => [username, databasesOf(username, this.#folder)]))
    if ([...names.values()].every((list) => list.length === 0)) return new Map()
    const rows = (await this.#sql([sizes])).split('\n').map((line) => line.split('\t'))
    const bytes = new Map(rows.map(([name = '', size]) => [name, Number(size)]))
    const sizesOf = (list: readonly string[]) => list.map((name) => ({ name, bytes: bytes.get(name) ?? 0 }))
    return new Map([...names].map(([username, list]) => [username, sizesOf(list)]))
  }
}
