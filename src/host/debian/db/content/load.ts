import type { Filling } from '../../../backup/databases.ts'
import { ProgramError } from '../../../programs/error.ts'
import type { LogIn } from '../single-use-users.ts'
import { type Confine, openly } from './confine.ts'
import { feed, type ProcessExit } from './process.ts'
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
]

const session = 'lock_wait_timeout = 300'
/** For dumps of others, as mysqldump would set it: they come from servers that were less strict. */
const lenient = `${session}, foreign_key_checks = 0, unique_checks = 0, innodb_strict_mode = OFF, sql_mode = 'NO_AUTO_VALUE_ON_ZERO'`

/** Runs a dump's statements in a database. */
export async function load(
  socket: string,
  database: string,
  login: LogIn,
  filling: Filling,
  confine: Confine = openly,
): Promise<void> {
  const { from, bytes, account, signal } = filling
  const own = [`--socket=${socket}`, `--user=${login.user}`, `--database=${database}`]
  const args = [...words, `--init-command=SET SESSION ${filling.isPrepared ? lenient : session}`, ...own]
  const { first, ...running } = confine(account.username, [program, ...args], login.password)
  const statements = filling.isPrepared ? bytes() : forAnotherUser(bytes(), { from, to: database })
  await feed({ ...running, signal }, first === undefined ? statements : after(first, statements), refuseErrors)
}

async function* after(first: string, bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield Buffer.from(first)
  yield* bytes
}

/**
 * The server's errors that say nothing about the statements: disk full, out of memory, too many connections, shutdown,
 * lock timeout, interrupted, time limit; and all of the client's own (2000 to 2999), such as a lost connection.
 */
const passing = /^ERROR (?:1021|1037|1038|1040|1041|1053|1114|1203|1205|1317|1969|2\d{3})\b/

function refuseErrors({ code, output }: ProcessExit): void {
  if (code === 0) return
  const line = output.find((one) => one.startsWith('ERROR')) ?? 'MariaDB went away'
  const isPassing = passing.test(line) || !line.startsWith('ERROR')
  throw new ProgramError(isPassing ? 'stage' : 'precheck', {
    program,
    tried: 'MariaDB could not load the dump',
    output: line,
    ...(!isPassing && { advice: 'The dump cannot be loaded as it is: restore another backup of the database.' }),
  })
}
