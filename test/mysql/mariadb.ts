import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { HostError } from '../../src/host/contract/error.ts'

const tools = { server: '/usr/sbin/mariadbd', install: '/usr/bin/mariadb-install-db', client: '/usr/bin/mariadb' }

export const hasMariaDb = Object.values(tools).every((tool) => existsSync(tool))

const small = ['--innodb-buffer-pool-size=8M', '--innodb-log-file-size=4M', '--aria-pagecache-buffer-size=1M']

/** A separate MariaDB in its own directory, only on a socket. */
export class MariaDb {
  readonly #dir: string
  readonly #child: ChildProcess

  private constructor(dir: string, child: ChildProcess) {
    this.#dir = dir
    this.#child = child
  }

  static async start(): Promise<MariaDb> {
    const dir = mkdtempSync(join(tmpdir(), 'panel-mariadb-'))
    chmodSync(dir, 0o711)
    const base = ['--no-defaults', `--datadir=${join(dir, 'data')}`, `--user=${userInfo().username}`]
    const made = spawnSync(tools.install, [...base, '--auth-root-authentication-method=normal', '--skip-test-db'])
    if (made.status !== 0) throw new Error(`mariadb-install-db: ${made.stderr}${made.stdout}`)
    const own = [`--socket=${join(dir, 'sock')}`, `--pid-file=${join(dir, 'pid')}`, '--skip-networking']
    const child = spawn(tools.server, [...base, ...own, ...small], { stdio: 'ignore' })
    const server = new MariaDb(dir, child)
    for (let tries = 0; tries < 200; tries++) {
      if (server.run('SELECT 1;').status === 0) return server
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    await server.stop()
    throw new Error('MariaDB did not start')
  }

  get socket(): string {
    return join(this.#dir, 'sock')
  }

  /** Runs statements like the panel: on standard input, in batch mode. */
  run(statements: string, as: readonly string[] = ['--user=root']) {
    const options = ['--no-defaults', `--socket=${join(this.#dir, 'sock')}`, '--batch', '--skip-column-names']
    return spawnSync(tools.client, [...options, ...as], { input: statements, encoding: 'utf8', timeout: 30_000 })
  }

  /** The output of statements, which must succeed. */
  ask(statements: string | readonly string[]): string {
    const { status, stdout, stderr } = this.run([statements].flat().join('\n'))
    if (status !== 0) throw new Error(stderr)
    return stdout
  }

  /** The same as the panel receives it. */
  readonly sql = async (statements: readonly string[]): Promise<string> => {
    try {
      return this.ask(statements)
    } catch (error) {
      throw new HostError('install', (error as Error).message)
    }
  }

  /** A user's session that stays open until either side closes it. */
  session(user: string, password: string, statements = 'SELECT SLEEP(50)'): ChildProcess {
    const options = ['--no-defaults', `--socket=${join(this.#dir, 'sock')}`, `--user=${user}`]
    const env = { ...process.env, MYSQL_PWD: password }
    return spawn(tools.client, [...options, `--execute=${statements}`], { env, stdio: 'ignore' })
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve))
    if (this.#child.exitCode === null && this.#child.kill('SIGTERM')) await ended
    rmSync(this.#dir, { recursive: true, force: true })
  }
}
