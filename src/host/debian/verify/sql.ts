import { KeyedLock } from '../../../shared/lock.ts'
import { grantPattern } from '../../parts/db/statements.ts'
import type { Run } from '../commands.ts'
import { sqlOf } from '../db/client.ts'
import { SingleUseUsers } from '../db/single-use-users.ts'
import { type Probe, tried } from './probe.ts'

const program = '/usr/bin/mariadb'
const MAX_PROBLEMS = 20
/** One at a time: leftovers found here are from a crash. */
const turn = new KeyedLock()

/** Opens each database with a single-use user. */
export const sql: Probe = async ({ account, run }) => {
  const names = account.parts.db.databases.flatMap(({ name, gone }) => (gone ? [] : [name]))
  const results = []
  for (const name of names.slice(0, MAX_PROBLEMS)) results.push(await tried(`sql ${name}`, () => opens(run, name)))
  return results
}

const opens = (run: Run, database: string): Promise<string> => turn.run('', () => open(run, database))

async function open(run: Run, database: string): Promise<string> {
  const users = new SingleUseUsers(sqlOf(run), 'panel_probe_')
  await users.dropLeft()
  return users.use([`SELECT ON \`${grantPattern(database)}\`.*`], async ({ user, password }) => {
    const words = ['--no-defaults', '--batch', '--skip-column-names', `--user=${user}`, `--database=${database}`]
    await run(program, words, { input: 'SELECT 1;\n', env: { MYSQL_PWD: password } })
    return 'it opens to a log-in'
  })
}
