import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { begin, failure } from '../../src/host/backup/restic/run.ts'
import { run } from '../../src/host/debian/commands.ts'
import { dumpOf } from '../../src/host/debian/db/content/dump.ts'
import { load } from '../../src/host/debian/db/content/load.ts'
import { decompress, through } from '../../src/host/homes/archive/compress.ts'
import { ProgramError } from '../../src/host/programs/error.ts'
import { tempDir } from './helpers.ts'

/** A program that prints these lines as errors, and ends with a code. */
function fake(name: string, lines: readonly string[], code = 1): string {
  const path = join(tempDir(), name)
  writeFileSync(path, `#!/bin/sh\ncat >&2 <<'END'\n${lines.join('\n')}\nEND\nexit ${code}\n`)
  chmodSync(path, 0o755)
  return path
}

const messageOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'it succeeded',
    (error: Error) => error.message,
  )

describe('an error that quotes a program says what was tried, and what to do', () => {
  test.each([
    [
      'nginx',
      ['-t', '-q'],
      [
        'nginx: [emerg] unknown directive "nonsense" in /etc/nginx/conf.d/zz.conf:1',
        'nginx: configuration file test failed',
      ],
      'nginx -t -q failed: nginx: [emerg] unknown directive "nonsense" in /etc/nginx/conf.d/zz.conf:1. Correct it in the file that it names on the host, then try again.',
    ],
    [
      'systemctl',
      ['start', 'nginx.service'],
      ['Failed to start nginx.service: Unit nginx.service not found.'],
      'systemctl start nginx.service failed: Failed to start nginx.service: Unit nginx.service not found. The service is not installed: run panel host setup on the host.',
    ],
    [
      'systemctl',
      ['restart', 'mariadb'],
      [
        'Job for mariadb.service failed because the control process exited with error code.',
        'See "systemctl status mariadb.service".',
      ],
      'systemctl restart mariadb failed: Job for mariadb.service failed because the control process exited with error code. On the host, panel doctor names the service, and journalctl -u with its name shows why.',
    ],
    [
      'postmap',
      ['lmdb:/etc/panel/mail/new-domains'],
      ['postmap: fatal: open database /etc/panel/mail/new-domains.lmdb: No space left on device'],
      'postmap lmdb:/etc/panel/mail/new-domains failed: postmap: fatal: open database /etc/panel/mail/new-domains.lmdb: No space left on device. The disk of the host is full: make room, then try again.',
    ],
    [
      'mariadb',
      ['--no-defaults', '--user=root'],
      ["ERROR 2002 (HY000): Can't connect to local server through socket '/run/mysqld/mysqld.sock' (2)"],
      "mariadb failed: ERROR 2002 (HY000): Can't connect to local server through socket '/run/mysqld/mysqld.sock' (2). MariaDB is not running, or does not answer: check systemctl status mariadb on the host.",
    ],
    [
      'openssl',
      ['req', '-x509'],
      ['req: Can\'t open "/etc/panel/server.key" for writing, Permission denied'],
      'openssl req -x509 failed: req: Can\'t open "/etc/panel/server.key" for writing, Permission denied. Check the file that it names, and that its directory can be written to.',
    ],
    [
      'tar',
      ['-xf', 'a.tar'],
      ['tar: Unexpected EOF in archive', 'tar: Error is not recoverable: exiting now'],
      'tar -xf a.tar failed: tar: Error is not recoverable: exiting now. The archive is damaged, or not of that format: make or upload it again.',
    ],
    [
      'useradd',
      ['bob'],
      ['useradd: cannot lock /etc/passwd; try again later.'],
      /^useradd bob failed: .* Another program is changing/,
    ],
    ['rndc', ['reload'], ['rndc: connect failed: 127.0.0.1#953: connection refused'], /named is not running/],
    ['strange', ['x'], ['it broke'], 'strange x failed: it broke. Correct that on the host, then try again.'],
  ])('%s %j', async (name, words, lines, message) => {
    const path = fake(name, lines)
    const text = await messageOf(run(path, words))
    if (typeof message === 'string') expect(text).toBe(message)
    else expect(text).toMatch(message)
  })

  test('a program that prints nothing, is missing, hangs or is killed', async () => {
    expect(await messageOf(run(fake('nginx', [], 3), []))).toMatch(/^nginx failed: it ended with code 3\. Correct/)
    expect(await messageOf(run('/absent/restic', ['version']))).toBe(
      'restic version failed: spawn /absent/restic ENOENT. The program is not installed on the host: run panel host setup there.',
    )
    expect(await messageOf(run('/bin/sleep', ['60'], { timeout: 50 }))).toBe(
      'sleep 60 failed: it did not end within 0.05 seconds. The host may be overloaded: try again later.',
    )
    expect(await messageOf(run('/bin/sh', ['-c', 'kill -9 $$']))).toMatch(/failed: it was ended by SIGKILL\./)
  })

  test('control characters, long lines and long commands do not reach the message', async () => {
    const path = fake('nginx', [`\u001b[31merror\u001b[0m\u0001 ${'x'.repeat(5000)}`])
    const text = await messageOf(run(path, ['-t', 'a'.repeat(500), 'b']))
    expect(text).not.toMatch(/\p{Cc}/u)
    expect(text).toMatch(/^nginx -t … failed: error x+\. Correct/)
    expect(text.length).toBeLessThan(700)
  })

  test.each([
    [
      ['Fatal: wrong password or no key found'],
      /^restic snapshots failed: wrong password or no key found\. The repository was made with another encryption password/,
    ],
    [
      [
        'subprocess ssh: Connection refused',
        'Fatal: unable to open repository at sftp:box:/x: unable to start the sftp session, error: EOF',
      ],
      /cannot be reached: check its address/,
    ],
    [
      [
        'Fatal: unable to open config file: Stat: Access Denied.',
        'Is there a repository at the following location?',
        's3:x',
      ],
      /refuses the key or the path/,
    ],
    [
      ['Fatal: create repository at s3:x failed: client.BucketExists: The specified bucket does not exist.'],
      /check the bucket and the path/,
    ],
    [
      ['unable to create lock in backend: repository is already locked by PID 7', 'the `unlock` command can be used'],
      /Another restic uses the repository/,
    ],
    [
      ['{"message_type":"exit_error","code":12,"message":"Fatal: wrong password or no key found"}'],
      /failed: wrong password or no key found\./,
    ],
    [['something new'], /^restic snapshots failed: something new\. panel backup-destinations test shows/],
  ])('restic: %j', async (lines, message) => {
    const path = fake('restic', lines)
    const { stdout, ended } = begin(['--password-file', '/secret', 'snapshots', '--json'], {
      env: { PATH: `${join(path, '..')}:/bin:/usr/bin` },
    })
    stdout.resume()
    const error = failure(await ended)
    expect(error).toBeInstanceOf(ProgramError)
    expect(error.message).toMatch(message)
    expect(error.message).not.toContain('/secret')
  })

  test.skipIf(!existsSync('/usr/bin/mariadb-dump'))('mariadb-dump and mariadb', async () => {
    const socket = `--socket=${tempDir()}/absent.sock`
    const dump = dumpOf(async () => '', ['--no-defaults', socket], 'alice_shop')
    const read = async () => {
      for await (const _ of dump.bytes);
    }
    expect(await messageOf(read())).toMatch(
      /^The database alice_shop could not be saved by mariadb-dump: Got error: 2002: .* MariaDB is not running/,
    )
    const bytes = async function* () {
      yield Buffer.from('SELECT 1;\n')
    }
    const filling = { from: 'alice_shop', bytes, account: { username: 'alice' } } as unknown as Parameters<
      typeof load
    >[3]
    expect(
      await messageOf(load(`${tempDir()}/absent.sock`, 'alice_shop', { user: 'x', password: 'y' } as never, filling)),
    ).toMatch(/^MariaDB could not load the dump: ERROR 2002 .* MariaDB is not running/)
  })

  test('archivers', async () => {
    const bytes = async function* () {
      yield Buffer.from('not an archive')
    }
    const read = async (bytes: AsyncIterable<Buffer>) => {
      for await (const _ of bytes);
    }
    expect(await messageOf(read(through(bytes(), decompress('xz'))))).toBe(
      'xz could not read or write the archive: xz: (stdin): File format not recognized. The archive is damaged, or not of that format: make or upload it again.',
    )
  })
})

/** The panel's own agent, whose messages are the panel's; and `nginx -V`, which prints how it was built as errors. */
const own = new Set(['src/host/agent/client/child.ts', 'src/host/debian/nginx.ts'])

const sources = ['src/host', 'src/areas', 'src/runtime'].flatMap((folder) =>
  (readdirSync(folder, { recursive: true }) as string[])
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name)),
)

/** Whether it reads what a program prints as errors. */
const readsErrors = /\bstderr\b(?!\.write|.*ignore)/
const lastLine = /split\(['"/]\\n['"/]\)[^\n]*\.(?:at\(-1\)|pop\(\)|findLast\()/

test('there is one path from what a program prints to an error', () => {
  const others = sources.filter((file) => {
    const code = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
    const startsPrograms = code.includes('node:child_process')
    return startsPrograms && (readsErrors.test(code) || lastLine.test(code)) && !code.includes('ProgramError')
  })
  expect(others.filter((file) => !own.has(file))).toEqual([])
})

test('no error is made of the last line of an output', () => {
  const found = sources.filter(
    (file) => file !== 'src/host/programs/error.ts' && lastLine.test(readFileSync(file, 'utf8')),
  )
  expect(found).toEqual([])
})
