import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { RunOptions } from '../../src/host/debian/commands.ts'
import { endingScript, endWebmail } from '../../src/host/debian/programs/webmail-data.ts'
import { tempDir } from '../host/helpers.ts'
import { facts } from '../setup/context.ts'

/** The relevant part of Roundcube's tables. */
const tables = `CREATE TABLE users (user_id integer NOT NULL PRIMARY KEY, username text);
CREATE TABLE contacts (user_id integer REFERENCES users (user_id) ON DELETE CASCADE, name text);
CREATE TABLE session (sess_id text, vars text);
INSERT INTO users VALUES (1, 'info@a.example'), (2, 'o@b.example');
INSERT INTO contacts VALUES (1, 'friend'), (2, 'colleague');`

function webmail() {
  const path = join(tempDir(), 'roundcube.db')
  const db = new Database(path)
  db.exec(tables)
  const session = db.prepare('INSERT INTO session VALUES (?, ?)')
  for (const name of ['info@a.example', 'o@b.example', 'xinfo@a.example'])
    session.run(name, Buffer.from(`user_id|i:1;username|s:${name.length}:"${name}";`).toString('base64'))
  const names = (sql: string) => db.prepare(sql).pluck().all()
  return { path, left: () => [names('SELECT name FROM contacts'), names('SELECT sess_id FROM session')] }
}

test('changes webmail data as the webmail user, and only where there is one', async () => {
  const { path } = webmail()
  const ran: [string, readonly string[], RunOptions | undefined][] = []
  const run = async (...received: (typeof ran)[number]) => {
    ran.push(received)
    return ''
  }
  await endWebmail(run as never, facts.suite, { ended: ['a@a.example'], gone: [] }, path)
  await endWebmail(run as never, facts.suite, { ended: ['a@a.example'], gone: [] }, `${path}.none`)
  const user = ['--reuid=panel-webmail', '--regid=panel-webmail', '--clear-groups', '--no-new-privs', '--']
  const words = [...user, '/usr/bin/php8.4', '-r', endingScript, '--', path]
  expect(ran).toEqual([['/usr/bin/setpriv', words, { input: '{"ended":["a@a.example"],"gone":[]}' }]])
})

const hasPhp = spawnSync('php', ['-r', "exit(in_array('sqlite', PDO::getAvailableDrivers()) ? 0 : 1);"]).status === 0

test.runIf(hasPhp)('sessions end with a password; contacts are removed only with the mailbox, and no others', () => {
  const { path, left } = webmail()
  const report = (input: object) =>
    expect(
      spawnSync('php', ['-r', endingScript, '--', path], { input: JSON.stringify(input), encoding: 'utf8' }),
    ).toMatchObject({ status: 0, stderr: '' })
  report({ ended: ['info@a.example'], gone: [] })
  expect(left()).toEqual([
    ['friend', 'colleague'],
    ['o@b.example', 'xinfo@a.example'],
  ])
  report({ ended: ['info@a.example'], gone: ['info@a.example'] })
  expect(left()).toEqual([['colleague'], ['o@b.example', 'xinfo@a.example']])
})
