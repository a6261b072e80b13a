import { randomBytes } from 'node:crypto'
import { KeyedLock } from '../../../shared/lock.ts'
import type { Run } from '../commands.ts'
import { type Sql, sqlOf } from '../db/client.ts'
import { type Probe, tried } from './probe.ts'

const program = '/usr/bin/mariadb'
const prefix = 'panel_probe_'
const most = 20
/** One at a time: what is left of an earlier one was left by a crash. */
const turn = new KeyedLock()

/** Each database opens to a user that is made for it and thrown away. */
export const sql: Probe = async ({ account, run }) => {
  const names = account.parts.db.databases.flatMap(({ name, gone }) => (gone ? [] : [name]))
  const results = []
  for (const name of names.slice(0, most)) results.push(await tried(`sql ${name}`, () => opens(run, name)))
  return results
}

const opens = (run: Run, database: string): Promise<string> => turn.run('', () => open(run, database))

async function open(run: Run, database: string): Promise<string> {
  const [user, password] = [prefix + randomBytes(4).toString('hex'), randomBytes(24).toString('hex')]
  const at = `'${user}'@'localhost'`
  const root = sqlOf(run)
  try {
    await dropLeft(root)
    await root([
      `CREATE USER ${at} IDENTIFIED BY '${password}';`,
      `GRANT SELECT ON \`${database.replaceAll('_', '\\_')}\`.* TO ${at};`,
    ])
    const words = ['--no-defaults', '--batch', '--skip-column-names', `--user=${user}`, `--database=${database}`]
    await run(program, words, { input: 'SELECT 1;\n', env: { MYSQL_PWD: password } })
    return 'it opens to a log-in'
  } finally {
    await root([`DROP USER IF EXISTS ${at};`])
  }
}

async function dropLeft(root: Sql): Promise<void> {
  const left = await root([`SELECT User FROM mysql.user WHERE User LIKE '${prefix.replaceAll('_', '\\_')}%';`])
  const users = left.split('\n').filter((name) => /^panel_probe_[0-9a-f]{8}$/.test(name))
  if (users.length > 0) await root(users.map((name) => `DROP USER IF EXISTS '${name}'@'localhost';`))
}
