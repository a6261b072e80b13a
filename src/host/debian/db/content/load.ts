import type { Filling } from '../../../backup/databases.ts'
import { HostError } from '../../../contract/error.ts'
import type { LogIn } from '../single-use-users.ts'
import { type Confine, openly } from './confine.ts'
import { type Ended, feed } from './process.ts'
import { forAnotherUser } from './statements.ts'

const program = '/usr/bin/mariadb'

/**
 * The statements are a tenant's: the client accepts no commands but DELIMITER, reads no files, and logs in as a user
 * with privileges on this database only. A lock of the tenant's sessions is not waited for as long as it is held.
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
  '--init-command=SET SESSION lock_wait_timeout = 300',
]

/** Runs a dump's statements in a database. */
export async function load(
  socket: string,
  database: string,
  login: LogIn,
  filling: Filling,
  confine: Confine = openly,
): Promise<void> {
  const { from, bytes, account, signal } = filling
  const args = [...words, `--socket=${socket}`, `--user=${login.user}`, `--database=${database}`]
  const { first, ...running } = confine(account.username, [program, ...args], login.password)
  const statements = forAnotherUser(bytes(), { from, to: database })
  await feed({ ...running, signal }, first === undefined ? statements : after(first, statements), refuseErrors)
}

async function* after(first: string, bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield Buffer.from(first)
  yield* bytes
}

function refuseErrors({ code, output }: Ended): void {
  if (code === 0) return
  throw new HostError(
    'precheck',
    output.find((line) => line.startsWith('ERROR'))?.slice(0, 500) ?? 'MariaDB went away.',
  )
}
