import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { readCommand } from '../../src/host/agent/service/requests.ts'
import type { ProgramName } from '../../src/host/contract/programs.ts'
import { LinkFiles } from '../../src/host/debian/programs/links.ts'
import { mailboxes } from '../../src/host/debian/programs/mailboxes.ts'
import { linksIn, openers, programPlaces, webmailLogins } from '../../src/host/debian/programs/places.ts'
import { Programs } from '../../src/host/debian/programs/programs.ts'
import { ProgramRecord } from '../../src/host/debian/programs/record.ts'
import { dropSqlUser, sqlUsers } from '../../src/host/debian/programs/sql-user.ts'
import { idOf, tempDir } from '../host/helpers.ts'

const minute = 60_000
const hour = 60 * minute
const alice = { id: idOf(1), username: 'alice', uid: 20_000, mainDomain: 'alice.example' }
const bob = { id: idOf(2), username: 'bob', uid: 20_001, mainDomain: 'bob.example' }
const at = "'panel_web_20000'@'localhost'"

let root: string
let now: number
/** Scheduled work, and its time. */
let timers: { readonly time: number; readonly act: () => void }[]
/** Statements that MariaDB received; it answers what a test sets. */
let received: string[]
let answers: (statement: string) => string
let suspended: boolean

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

beforeEach(() => {
  root = tempDir()
  now = 1_000_000
  timers = []
  received = []
  answers = () => ''
  suspended = false
  for (const path of [...Object.values(openers), webmailLogins, '/var/lib/panel-host/x']) write(path, '')
  for (const place of Object.values(programPlaces)) mkdirSync(join(root, linksIn(place)), { recursive: true })
  write(
    '/etc/panel/db.d/alice.sql',
    'CREATE DATABASE IF NOT EXISTS `alice_shop` X;\nDROP DATABASE IF EXISTS `alice_old`;\n',
  )
  const line = (hash: string) => `:${hash}:20000:20000::/home/alice/mail::`
  write(
    '/etc/panel/mail/passwd.d/alice.example',
    `# panel account ${alice.id}\nalice${line('!')}\ninfo${line('$6$x')}\nteam${line('$6$y')}\n`,
  )
})

const sql = async (statements: readonly string[]): Promise<string> => {
  received.push(...statements.map((one) => one.replaceAll(/[0-9a-f]{48}/g, 'PASSWORD')))
  return statements.map(answers).join('')
}

/** The agent's part, as after a start. */
function started() {
  const record = new ProgramRecord(root)
  const programs = new Programs({
    record,
    root,
    keepers: {
      phpmyadmin: sqlUsers(sql, record, undefined, join(root, 'etc/panel/db.d')),
      webmail: mailboxes(root, async () => {}),
    },
    links: new LinkFiles(root, () => process.getuid!()),
    isSuspended: () => suspended,
    now: () => now,
    after: (ms, act) => {
      const timer = { time: now + ms, act }
      timers.push(timer)
      return () => void timers.splice(timers.indexOf(timer), 1)
    },
  })
  return { record, programs }
}

const folderOf = (program: ProgramName): string => join(root, linksIn(programPlaces[program]))
const fileOf = (program: ProgramName, token: string): string =>
  join(folderOf(program), createHash('sha256').update(token).digest('hex'))
const contentOf = (program: ProgramName, token: string) => JSON.parse(readFileSync(fileOf(program, token), 'utf8'))
/** Like the program does. */
const follow = (program: ProgramName, token: string): void => renameSync(fileOf(program, token), join(root, 'taken'))
const logins = (): string[] => readFileSync(join(root, webmailLogins), 'utf8').split('\n').filter(Boolean)

/** Moves time on, and runs what is due. */
async function pass(programs: Programs, ms: number): Promise<void> {
  now += ms
  for (const { act } of timers.filter(({ time }) => time <= now)) act()
  await programs.sweep()
}

const opened = [
  `CREATE USER IF NOT EXISTS ${at} IDENTIFIED BY 'PASSWORD';`,
  `ALTER USER ${at} IDENTIFIED BY 'PASSWORD' ACCOUNT UNLOCK;`,
  `REVOKE ALL PRIVILEGES, GRANT OPTION FROM ${at};`,
  `GRANT ALL PRIVILEGES ON \`alice\\_shop\`.* TO ${at};`,
]
const locked = [`ALTER USER IF EXISTS ${at} ACCOUNT LOCK;`, `KILL CONNECTION USER ${at};`]
const dropped = `DROP USER IF EXISTS ${at};`
const isQuestion = (statement: string): boolean => statement.startsWith('SELECT')
const acted = (): string[] => received.splice(0).filter((one) => !isQuestion(one))

describe('link into phpMyAdmin', () => {
  test("opens the account's databases, and contains the login for phpMyAdmin", async () => {
    const { token } = await started().programs.openProgram({ account: alice, program: 'phpmyadmin' })
    expect(acted()).toEqual(opened)
    expect(contentOf('phpmyadmin', token)).toEqual({
      user: 'panel_web_20000',
      password: expect.stringMatching(/^[0-9a-f]{48}$/),
      until: 1060,
    })
    expect(statSync(fileOf('phpmyadmin', token)).mode & 0o777).toBe(0o600)
    expect([token.length, readdirSync(folderOf('phpmyadmin')).length]).toEqual([43, 1])
  })

  test('expires a link that is not followed after a minute, with its user', async () => {
    const { programs } = started()
    await programs.openProgram({ account: alice, program: 'phpmyadmin' })
    acted()
    await pass(programs, minute - 1)
    expect([acted(), readdirSync(folderOf('phpmyadmin')).length]).toEqual([[], 1])
    await pass(programs, 1)
    expect([acted(), readdirSync(folderOf('phpmyadmin')), timers]).toEqual([[...locked, dropped], [], []])
  })

  test('starts a session of at most eight hours, and the next one has the same password', async () => {
    const { programs } = started()
    const first = await programs.openProgram({ account: alice, program: 'phpmyadmin' })
    const { password } = contentOf('phpmyadmin', first.token)
    follow('phpmyadmin', first.token)
    await pass(programs, hour)
    acted()
    const second = await programs.openProgram({ account: alice, program: 'phpmyadmin' })
    expect([acted(), contentOf('phpmyadmin', second.token).password]).toEqual([opened, password])
    await pass(programs, 7 * hour - 1)
    expect(acted()).toEqual([])
    await pass(programs, 1)
    expect(acted()).toEqual([...locked, dropped])
  })

  test('keeps the definer of a view, locked, until the account is removed', async () => {
    const { programs, record } = started()
    const { token } = await programs.openProgram({ account: alice, program: 'phpmyadmin' })
    follow('phpmyadmin', token)
    answers = (statement) =>
      statement.includes('mysql.db') ? 'alice_shop\n' : statement.includes('information_schema.VIEWS') ? '1\n' : ''
    await pass(programs, minute)
    acted()
    await pass(programs, 8 * hour)
    expect([received.filter((one) => one.includes('VIEWS')), acted()]).toEqual([
      [
        "SELECT 1 FROM information_schema.VIEWS WHERE TABLE_SCHEMA IN ('alice_shop') AND DEFINER = 'panel_web_20000@localhost' LIMIT 1;",
      ],
      locked,
    ])
    expect(new ProgramRecord(root).isAuthor(20_000)).toBe(true)
    await dropSqlUser(sql, 20_000)
    record.noteAuthor(20_000, false)
    expect([acted(), new ProgramRecord(root).isAuthor(20_000)]).toEqual([[dropped], false])
  })

  test('follows the databases of its account', async () => {
    const { programs } = started()
    await programs.openProgram({ account: alice, program: 'phpmyadmin' })
    acted()
    write('/etc/panel/db.d/alice.sql', 'CREATE DATABASE IF NOT EXISTS `alice_blog` X;\n')
    await programs.changed('bob', bob.uid)
    expect(acted()).toEqual([])
    await programs.changed('alice', alice.uid)
    expect(acted()).toEqual([...opened.slice(0, 3), opened[3]!.replace('shop', 'blog')])
  })

  test('ends when its account is suspended, and no new one can be created', async () => {
    const { programs } = started()
    const { token } = await programs.openProgram({ account: alice, program: 'phpmyadmin' })
    acted()
    await programs.endOf(bob.uid)
    expect(acted()).toEqual([])
    await programs.endOf(alice.uid)
    expect([acted(), existsSync(fileOf('phpmyadmin', token)), timers]).toEqual([[...locked, dropped], false, []])
    suspended = true
    await expect(programs.openProgram({ account: alice, program: 'phpmyadmin' })).rejects.toThrow('alice is suspended')
    expect(readdirSync(folderOf('phpmyadmin'))).toEqual([])
  })

  test('survives a restart of the agent, which ends expired ones', async () => {
    const { token } = await started().programs.openProgram({ account: alice, program: 'phpmyadmin' })
    follow('phpmyadmin', token)
    acted()
    const second = started()
    await second.programs.sweep()
    expect([acted(), second.record.logins.length]).toEqual([[], 1])
    await pass(second.programs, minute)
    now += 8 * hour
    const third = started()
    await third.programs.sweep()
    expect([acted(), third.record.logins]).toEqual([[...locked, dropped], []])
  })

  test('retries a link whose user cannot be dropped, and does not block another', async () => {
    const { programs } = started()
    await programs.openProgram({ account: alice, program: 'phpmyadmin' })
    answers = (statement) => {
      if (statement.includes('ACCOUNT LOCK')) throw new Error('MariaDB is away')
      return ''
    }
    now += 2 * minute
    expect((await programs.openProgram({ account: bob, program: 'phpmyadmin' })).token).toHaveLength(43)
    answers = () => ''
    acted()
    await pass(programs, minute)
    expect(acted()).toContain(dropped)
  })

  test('refuses a link if phpMyAdmin is not set up', async () => {
    write(openers.phpmyadmin, '')
    renameSync(join(root, openers.phpmyadmin), join(root, 'away'))
    const refused = started().programs.openProgram({ account: alice, program: 'phpmyadmin' })
    await expect(refused).rejects.toMatchObject({ stage: 'unsupported' })
    expect(received).toEqual([])
  })
})

describe('link into webmail', () => {
  const open = (mailbox: string, account = alice) =>
    started().programs.openProgram({ account, program: 'webmail', mailbox })

  test('opens one mailbox, from this machine only', async () => {
    const { token } = await open('info@alice.example')
    expect(logins()).toEqual([
      expect.stringMatching(
        /^info@alice\.example:\$6\$[./0-9A-Za-z]{16}\$[./0-9A-Za-z]{86}::::::allow_real_nets=127\.0\.0\.0\/8$/,
      ),
    ])
    expect(contentOf('webmail', token)).toMatchObject({ user: 'info@alice.example', until: 1060 })
    expect(statSync(join(root, webmailLogins)).mode & 0o777).toBe(0o640)
  })

  test.each([
    ['of another account', 'info@alice.example', bob],
    ['that is locked', 'alice@alice.example', alice],
    ['that is not there', 'other@alice.example', alice],
    ['of a domain that is not here', 'info@carol.example', alice],
  ])('refuses a link for a mailbox %s', async (_which, mailbox, account) => {
    await expect(open(mailbox, account)).rejects.toThrow('The mailbox cannot be opened.')
    expect([logins(), readdirSync(folderOf('webmail'))]).toEqual([[], []])
  })

  test('ends a link when the password of its mailbox changes, and no other', async () => {
    const { programs } = started()
    await programs.openProgram({ account: alice, program: 'webmail', mailbox: 'info@alice.example' })
    await programs.openProgram({ account: alice, program: 'webmail', mailbox: 'team@alice.example' })
    expect(logins()).toHaveLength(2)
    await programs.endMailboxes(['info@alice.example', 'x@alice.example'])
    expect(logins()).toEqual([expect.stringMatching(/^team@alice\.example:/)])
    expect(readdirSync(folderOf('webmail'))).toHaveLength(1)
  })

  test('lets a session from a link last eight hours', async () => {
    const { programs } = started()
    const { token } = await programs.openProgram({ account: alice, program: 'webmail', mailbox: 'info@alice.example' })
    follow('webmail', token)
    await pass(programs, 8 * hour - 1)
    expect(logins()).toHaveLength(1)
    await pass(programs, 1)
    expect([logins(), timers]).toEqual([[], []])
  })
})

describe('request to open a program', () => {
  const read = (input: object) => () =>
    readCommand({ type: 'command', id: 1, node: 'local', command: 'openProgram', input }, 'local')
  const full = { account: alice, program: 'webmail', mailbox: 'info@alice.example' }

  test('names an account, a program and a mailbox', () => {
    expect(read(full)).not.toThrow()
    expect(read({ account: alice, program: 'phpmyadmin' })).not.toThrow()
  })

  test.each([
    { program: 'adminer' },
    { account: { ...alice, uid: 0 } },
    { account: { ...alice, username: '../root' } },
    { mailbox: '../x@alice.example' },
    { mailbox: 'info@../x' },
    { mailbox: 'info:x@alice.example' },
    { mailbox: 'info@alice.example\nroot@alice.example' },
    { mailbox: 'info' },
    { mailbox: 5 },
    { password: 'x' },
  ])('refuses a request with %j', (over) => {
    expect(read({ ...full, ...over })).toThrow(/^The .*\.$/)
  })
})
