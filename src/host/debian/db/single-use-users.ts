import { randomBytes } from 'node:crypto'
import type { Sql } from './client.ts'

export interface LogIn {
  readonly user: string
  readonly password: string
}

const at = (user: string): string => `'${user}'@'localhost'`

/** Single-use users of the server. */
export class SingleUseUsers {
  readonly #sql: Sql
  readonly #prefix: string
  readonly #options: string

  constructor(sql: Sql, prefix: string, options = '') {
    this.#sql = sql
    this.#prefix = prefix
    this.#options = options
  }

  /** `grants`: privileges and their objects. */
  async use<T>(grants: readonly string[], act: (login: LogIn) => Promise<T>): Promise<T> {
    const login = {
      user: `${this.#prefix}${randomBytes(4).toString('hex')}`,
      password: randomBytes(24).toString('hex'),
    }
    try {
      await this.#sql([
        `CREATE USER ${at(login.user)} IDENTIFIED BY '${login.password}'${this.#options};`,
        ...grants.map((grant) => `GRANT ${grant} TO ${at(login.user)};`),
      ])
      return await act(login)
    } finally {
      await this.#drop([login.user])
    }
  }

  /** Drops those that a crash left. */
  async dropLeft(): Promise<void> {
    const like = `${this.#prefix.replaceAll('_', '\\_')}%`
    const left = await this.#sql([`SELECT User FROM mysql.user WHERE User LIKE '${like}';`])
    await this.#drop(left.split('\n').filter((name) => /^panel_[a-z]+_[0-9a-f]{8}$/.test(name)))
  }

  async #drop(users: readonly string[]): Promise<void> {
    const statements = users.flatMap((user) => [`KILL CONNECTION USER '${user}';`, `DROP USER IF EXISTS ${at(user)};`])
    if (statements.length > 0) await this.#sql(statements)
  }
}
