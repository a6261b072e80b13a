import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nativeHash } from '../../src/areas/mysql/password.ts'
import { actualQueries, emptyServer, readActual } from '../../src/host/parts/db/actual.ts'
import { type DesiredDb, planDb } from '../../src/host/parts/db/plan.ts'
import type { DbState } from '../../src/host/parts/db/state.ts'
import { privileges } from '../../src/shared/sql/privileges.ts'
import { hasMariaDb, MariaDb } from './mariadb.ts'

const password = 'canary-Sandpiper-6631'
const hash = nativeHash(password)

const database = (name: string, gone = false) => ({ name, collation: 'utf8mb4_unicode_ci' as const, gone })
type Grants = DbState['users'][number]['grants']
const user = (name: string, grants: Grants, gone = false) => ({ name, hash, gone, grants })

/** Each test has its own prefix on the shared server. */
let prefixes = 0
const newPrefix = (): string => `acc${++prefixes}_`

const desiredOf = (prefix: string, over: Partial<DesiredDb> = {}): DesiredDb => ({
  prefix,
  locked: false,
  hosts: [
    { host: '192.0.2.7', gone: false },
    { host: '198.51.100.0/24', gone: false },
  ],
  databases: [database(`${prefix}shop`), database(`${prefix}blog`)],
  users: [
    user(`${prefix}app`, [
      { database: `${prefix}shop`, privileges: ['ALL'] },
      { database: `${prefix}blog`, privileges: ['SELECT', 'CREATE TEMPORARY TABLES'] },
    ]),
    user(`${prefix}api`, []),
  ],
  ...over,
})

describe.skipIf(!hasMariaDb)('MariaDB of its own', { timeout: 60_000 }, () => {
  let server: MariaDb
  beforeAll(async () => {
    server = await MariaDb.start()
  }, 60_000)
  afterAll(() => server?.stop())

  const actual = (prefix: string) => readActual(server.ask(actualQueries(prefix)))
  /** Converges the server from its current state, and returns the statements. */
  function apply(expected: DesiredDb): string[] {
    const plan = planDb(expected, actual(expected.prefix))
    server.ask(plan)
    return plan
  }
  const as = (name: string) => [`--user=${name}`, `--password=${password}`]

  test('creates everything on an empty server, twice, and then has nothing left to do', () => {
    const expected = desiredOf(newPrefix())
    const plan = planDb(expected, emptyServer)
    server.ask(plan)
    server.ask(plan)
    expect(planDb(expected, actual(expected.prefix))).toEqual([])
    const { databases, users, grants } = actual(expected.prefix)
    expect([databases.length, users.length, grants.length]).toEqual([2, 6, 6])
  })

  test('a user logs in with its password, and can only use what it was granted', () => {
    const { prefix } = desiredOf(newPrefix())
    apply(desiredOf(prefix))
    server.ask(`CREATE DATABASE \`${prefix.slice(0, -1)}xshop\`; CREATE TABLE ${prefix}blog.t (a int);`)
    const run = (statement: string) => server.run(statement, as(`${prefix}app`)).status
    expect(run(`CREATE TABLE ${prefix}shop.t (a int); INSERT INTO ${prefix}shop.t VALUES (1);`)).toBe(0)
    expect(run(`SELECT * FROM ${prefix}blog.t`)).toBe(0)
    expect(run(`INSERT INTO ${prefix}blog.t VALUES (1)`)).not.toBe(0)
    // An unescaped underscore in a grant would let it in here.
    expect(run(`CREATE TABLE ${prefix.slice(0, -1)}xshop.t (a int)`)).not.toBe(0)
    expect(run('SELECT * FROM mysql.global_priv')).not.toBe(0)
    expect(server.run('SELECT 1', [`--user=${prefix}app`, '--password=wrong']).status).not.toBe(0)
  })

  test('any drift is repaired; unknown objects stay', () => {
    const expected = desiredOf(newPrefix())
    const { prefix } = expected
    apply(expected)
    server.ask([
      `DROP DATABASE ${prefix}blog; CREATE DATABASE ${prefix}own; DROP USER '${prefix}api'@'192.0.2.7';`,
      `ALTER USER '${prefix}app'@'localhost' IDENTIFIED BY 'other' ACCOUNT LOCK;`,
      `GRANT INSERT ON \`${prefix.replace('_', '\\_')}blog\`.* TO '${prefix}app'@'localhost' WITH GRANT OPTION;`,
      `REVOKE DROP, DELETE HISTORY ON \`${prefix.replace('_', '\\_')}shop\`.* FROM '${prefix}app'@'192.0.2.7';`,
      `GRANT SELECT ON \`${prefix}%\`.* TO '${prefix}api'@'localhost';`,
      `CREATE USER '${prefix}hand'@'localhost'; GRANT SELECT ON ${prefix}own.* TO '${prefix}hand'@'localhost';`,
    ])
    const plan = apply(expected)
    expect(plan.map((line) => line.split(' ')[0])).toEqual(
      expect.arrayContaining(['REVOKE', 'CREATE', 'ALTER', 'GRANT']),
    )
    expect(plan.some((line) => line.startsWith('DROP'))).toBe(false)
    expect(planDb(expected, actual(prefix))).toEqual([])
    const { databases, users, grants } = actual(prefix)
    expect(databases).toContain(`${prefix}own`)
    expect(users.some(({ name }) => name === `${prefix}hand`)).toBe(true)
    expect(grants.filter(({ user }) => user === `${prefix}hand`)).toHaveLength(1)
  })

  test('what is deleted goes with its grants, including users at deleted hosts', () => {
    const expected = desiredOf(newPrefix())
    const { prefix } = expected
    apply(expected)
    const less = {
      ...expected,
      hosts: [{ host: '192.0.2.7', gone: true }, expected.hosts[1]!],
      databases: [database(`${prefix}shop`, true), database(`${prefix}blog`)],
      users: [expected.users[0]!, user(`${prefix}api`, [], true)],
    }
    expect(apply(less).map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      ...Array(2).fill(`REVOKE ${privileges[0]},`),
      'DROP DATABASE',
      ...Array(4).fill('DROP USER'),
      ...Array(2).fill('KILL CONNECTION'),
    ])
    const { databases, users, grants } = actual(prefix)
    expect(databases).toEqual([`${prefix}blog`])
    expect(users.map(({ name, host }) => `${name}@${host}`).sort()).toEqual([
      `${prefix}app@198.51.100.0/255.255.255.0`,
      `${prefix}app@localhost`,
    ])
    expect(grants.map(({ on }) => on)).toEqual(Array(2).fill(`${prefix.replace('_', '\\_')}blog`))
    expect(planDb(less, actual(prefix))).toEqual([])
  })

  test('each privilege is granted and revoked by its name', () => {
    const prefix = newPrefix()
    const having = (list: Grants[number]['privileges']) =>
      desiredOf(prefix, {
        hosts: [],
        databases: [database(`${prefix}shop`)],
        users: [user(`${prefix}app`, list.length > 0 ? [{ database: `${prefix}shop`, privileges: list }] : [])],
      })
    for (const privilege of privileges) {
      apply(having([privilege]))
      expect(actual(prefix).grants.map(({ privileges }) => privileges)).toEqual([[privilege]])
    }
    apply(having([...privileges]))
    expect(planDb(having(['ALL']), actual(prefix))).toHaveLength(1)
    apply(having(['ALL']))
    expect(apply(having([...privileges]))).toEqual([
      expect.stringMatching(/^REVOKE DELETE HISTORY/),
      `KILL CONNECTION USER '${prefix}app';`,
    ])
    apply(having([]))
    expect(actual(prefix).grants).toEqual([])
  })

  test('continues where it was when interrupted after any statement', () => {
    const before = desiredOf(newPrefix())
    const { prefix } = before
    const after = {
      ...before,
      hosts: [
        { host: '192.0.2.7', gone: true },
        { host: '203.0.113.5', gone: false },
      ],
      databases: [database(`${prefix}shop`, true), database(`${prefix}blog`), database(`${prefix}new`)],
      users: [
        user(`${prefix}app`, [{ database: `${prefix}new`, privileges: ['ALL'] as const }]),
        user(`${prefix}api`, [], true),
      ],
    }
    apply(before)
    const { length } = planDb(after, actual(prefix))
    expect(length).toBeGreaterThan(10)
    for (let stop = 0; stop <= length; stop++) {
      apply(before)
      server.ask(planDb(after, actual(prefix)).slice(0, stop))
      apply(after)
      expect([stop, planDb(after, actual(prefix))]).toEqual([stop, []])
    }
  })

  test('locking refuses new sessions and ends open ones, including those an interruption left open', async () => {
    const prefix = newPrefix()
    const expected = desiredOf(prefix, { hosts: [] })
    const name = `${prefix}app`
    apply(expected)
    const session = server.session(name, password)
    const ended = new Promise<number | null>((resolve) => session.once('exit', resolve))
    while (!actual(prefix).sessions.includes(name)) {}
    const locked = { ...expected, locked: true }
    const plan = planDb(locked, actual(prefix))
    expect(plan.map((line) => line.split(' ')[0])).toEqual(['ALTER', 'ALTER', 'KILL', 'KILL'])
    server.ask(plan.slice(0, 2))
    expect(server.run('SELECT 1', as(name)).stderr).toContain('4151')
    expect(session.exitCode).toBeNull()
    expect(planDb(locked, actual(prefix))).toEqual([`KILL CONNECTION USER '${name}';`])
    apply(locked)
    expect(await ended).not.toBe(0)
    expect(planDb(locked, actual(prefix))).toEqual([])
    apply(expected)
    expect(server.run('SELECT 1', as(name)).status).toBe(0)
    expect(actual(prefix).grants).toHaveLength(2)
  })

  test.each<[string, (expected: DesiredDb) => DesiredDb['users'][number]]>([
    ['goes', ({ users }) => ({ ...users[0]!, gone: true })],
    ['has another password', ({ users }) => ({ ...users[0]!, hash: nativeHash('another-canary-77') })],
    ['loses a grant', ({ users }) => ({ ...users[0]!, grants: users[0]!.grants.slice(1) })],
  ])('ends the open sessions of a user that %s, and continues those of others', async (_, changed) => {
    const prefix = newPrefix()
    const expected = desiredOf(prefix)
    apply(expected)
    const sessions = ['app', 'api'].map((name) => server.session(`${prefix}${name}`, password))
    const ended = new Promise<number | null>((resolve) => sessions[0]!.once('exit', resolve))
    while (actual(prefix).sessions.length < 2) {}
    apply({ ...expected, users: [changed(expected), expected.users[1]!] })
    expect(await ended).not.toBe(0)
    expect(sessions[1]!.exitCode).toBeNull()
    while (actual(prefix).sessions.includes(`${prefix}app`)) {}
    expect(actual(prefix).sessions).toEqual([`${prefix}api`])
    sessions[1]!.kill()
  })
})
