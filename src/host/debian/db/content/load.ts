import type { Filling } from '../../../backup/databases.ts'
import { HostError } from '../../../error.ts'
import type { LogIn } from '../throw-away.ts'
import { type Ended, feed } from './process.ts'
import { forAnotherUser } from './statements.ts'

const program = '/usr/bin/mariadb'

/**
 * The statements are a tenant's: the client runs as the tenant, accepts no commands but DELIMITER, reads no files, and
 * logs in as a user with privileges on this database only.
 */
const words = [
  '--no-defaults',
  '--batch',
  '--sandbox',
  '--binary-mode',
  '--skip-local-infile',
  '--comments',
  '--skip-reconnect',
  '--default-character-set=utf8mb4',
  '--max-allowed-packet=1G',
]

/** Runs a dump's statements in a database. */
export async function load(socket: string, database: string, login: LogIn, filling: Filling): Promise<void> {
  const { from, bytes, account, signal } = filling
  const args = [...words, `--socket=${socket}`, `--user=${login.user}`, `--database=${database}`]
  const running = { program, args, env: { MYSQL_PWD: login.password }, uid: account.uid, signal }
  await feed(running, forAnotherUser(bytes(), { from, to: database }), refuseFaults)
}

function refuseFaults({ code, said }: Ended): void {
  if (code === 0) return
  throw new HostError('precheck', said.find((line) => line.startsWith('ERROR'))?.slice(0, 500) ?? 'MariaDB went away.')
}
