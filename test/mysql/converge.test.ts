import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ActualDb } from '../../src/host/parts/db/actual.ts'
import { type DesiredDb, planDb } from '../../src/host/parts/db/plan.ts'
import { hostText } from '../../src/shared/sql/hosts.ts'
import { type Granted, privileges } from '../../src/shared/sql/privileges.ts'

const everything = [...privileges, 'DELETE HISTORY']

/** A server that executes the plan's statements, and fails like a real one. */
class Server {
  readonly databases: Set<string>
  readonly users: Map<string, { hash: string; locked: boolean }>
  readonly grants: Map<string, Set<string>>
  readonly sessions: Set<string>

  constructor({ databases, users, grants, sessions }: ActualDb) {
    this.databases = new Set(databases)
    this.sessions = new Set(sessions)
    this.users = new Map(users.map(({ name, host, ...rest }) => [`'${name}'@'${host}'`, { ...rest }]))
    const there = grants.filter(({ user, host }) => this.users.has(`'${user}'@'${host}'`))
    this.grants = new Map(
      there.map((one) => [`${one.on} '${one.user}'@'${one.host}'`, new Set(one.privileges)] as const),
    )
  }

  get actual(): ActualDb {
    const named = (at: string) => /^'(.*)'@'(.*)'$/.exec(at)!.slice(1) as [string, string]
    return {
      databases: [...this.databases],
      sessions: [...this.sessions],
      users: [...this.users].map(([at, rest]) => ({ name: named(at)[0], host: named(at)[1], ...rest })),
      grants: [...this.grants].map(([key, open]) => {
        const [on, at] = key.split(' ') as [string, string]
        return { user: named(at)[0], host: named(at)[1], on, privileges: [...open] }
      }),
    }
  }

  run(statement: string): void {
    const [, rest = ''] = /^(?:REVOKE|GRANT) (.*)$/.exec(statement) ?? []
    const [, list = '', on = '', at = ''] = /^(.*) ON `(.*)`\.\* (?:FROM|TO) (.*);$/.exec(rest) ?? []
    if (statement.startsWith('REVOKE')) this.#revoke(list.split(', '), `${on} ${at}`)
    else if (statement.startsWith('GRANT')) this.#grant(list, on, at)
    else this.#other(statement)
  }

  #revoke(list: readonly string[], key: string): void {
    const open = this.grants.get(key)
    for (const one of list) if (!open?.delete(one)) throw new Error(`There is no such grant: ${one} ${key}`)
    if (open?.size === 0) this.grants.delete(key)
  }

  #grant(list: string, on: string, at: string): void {
    if (!this.users.has(at)) throw new Error(`Unknown user ${at}`)
    const open = this.grants.get(`${on} ${at}`) ?? new Set()
    for (const one of list === 'ALL PRIVILEGES' ? everything : list.split(', ')) open.add(one)
    this.grants.set(`${on} ${at}`, open)
  }

  #other(statement: string): void {
    const [, database] = /^(?:CREATE|DROP) DATABASE IF (?:NOT )?EXISTS `([a-z0-9_]+)`/.exec(statement) ?? []
    const [, at = ''] = / USER (?:IF (?:NOT )?EXISTS )?('[^']*'@'[^']*')/.exec(statement) ?? []
    const [, hash = '', lock] = /USING '([^']*)' ACCOUNT (LOCK|UNLOCK);$/.exec(statement) ?? []
    const access = { hash, locked: lock === 'LOCK' }
    if (database !== undefined) this.databases[statement.startsWith('CREATE') ? 'add' : 'delete'](database)
    else if (statement.startsWith('DROP USER')) this.#drop(at)
    else if (statement.startsWith('CREATE USER')) this.users.set(at, this.users.get(at) ?? access)
    else if (statement.startsWith('ALTER USER')) this.users.set(at, { ...this.#found(at), ...access })
    else if (statement.startsWith('KILL'))
      this.sessions.delete(/^KILL CONNECTION USER '([^']*)';$/.exec(statement)![1]!)
    else throw new Error(`Unknown statement ${statement}`)
  }

  #found(at: string) {
    const user = this.users.get(at)
    if (!user) throw new Error(`Unknown user ${at}`)
    return user
  }

  #drop(at: string): void {
    this.users.delete(at)
    for (const key of this.grants.keys()) if (key.endsWith(` ${at}`)) this.grants.delete(key)
  }
}

const names = ['alice_a', 'alice_b', 'alice_c']
const hosts = ['192.0.2.7', '198.51.100.0/24', '2001:db8::7']
const hashes = [`*${'A'.repeat(40)}`, `*${'B'.repeat(40)}`]

const some = <T>(list: readonly T[]) => fc.subarray([...list])
const hash = fc.constantFrom(...hashes)
const requests = fc.oneof(fc.constant<Granted>(['ALL']), fc.subarray([...privileges], { minLength: 1 }))
const inUse = fc.subarray([...everything, 'GRANT OPTION'], { minLength: 1 })

const each = <T, R>(list: readonly T[], of: (one: T) => fc.Arbitrary<R>): fc.Arbitrary<R[]> =>
  some(list).chain((chosen) => fc.tuple(...chosen.map(of)) as fc.Arbitrary<R[]>)

const desired: fc.Arbitrary<DesiredDb> = fc.record({
  prefix: fc.constant('alice_'),
  locked: fc.boolean(),
  hosts: each(hosts, (host) => fc.record({ host: fc.constant(host), gone: fc.boolean() })),
  databases: each(names, (name) =>
    fc.record({ name: fc.constant(name), collation: fc.constant('utf8mb4_bin' as const), gone: fc.boolean() }),
  ),
  users: each(names, (name) =>
    fc.record({
      name: fc.constant(name),
      hash,
      gone: fc.boolean(),
      grants: each(names, (database) => fc.record({ database: fc.constant(database), privileges: requests })),
    }),
  ),
})

const places = names.flatMap((name) => ['localhost', ...hosts.map(hostText)].map((host) => ({ name, host })))
const patterns = [...names, 'alice_x'].map((name) => name.replace('_', '\\_'))
const pairs = places.flatMap(({ name, host }) => patterns.map((on) => ({ user: name, host, on })))

const actual: fc.Arbitrary<ActualDb> = fc.record({
  databases: some([...names, 'alice_x']),
  users: each(places, ({ name, host }) =>
    fc.record({
      name: fc.constant(name),
      host: fc.constant(host),
      hash,
      locked: fc.boolean(),
    }),
  ),
  sessions: some([...names, 'alice_x']),
  grants: each(pairs, (pair) => inUse.map((privileges) => ({ ...pair, privileges }))),
})

const isGone = (rows: readonly { readonly name: string; readonly gone: boolean }[], name: string) =>
  rows.some((row) => row.name === name && row.gone)

test('reaches the desired state from any state, interrupted anywhere, and removes nothing else', () => {
  fc.assert(
    fc.property(desired, actual, fc.nat(), (expected, there, stop) => {
      const server = new Server(there)
      const before = server.actual
      const plan = planDb(expected, before)
      for (const statement of plan.slice(0, stop % (plan.length + 1))) server.run(statement)
      for (const statement of planDb(expected, server.actual)) server.run(statement)
      const after = server.actual
      expect(planDb(expected, after)).toEqual([])

      const gone = expected.hosts.filter((one) => one.gone).map((one) => hostText(one.host))
      const stored = before.users.filter(({ name, host }) => {
        const isRow = expected.users.some((user) => user.name === name)
        return !isGone(expected.users, name) && !(isRow && gone.includes(host))
      })
      expect(after.users.map(({ name, host }) => `${name}@${host}`)).toEqual(
        expect.arrayContaining(stored.map(({ name, host }) => `${name}@${host}`)),
      )
      expect(after.databases).toEqual(
        expect.arrayContaining(before.databases.filter((name) => !isGone(expected.databases, name))),
      )
      const ended = expected.users.filter(({ gone }) => gone || expected.locked).map(({ name }) => name)
      expect(after.sessions.filter((name) => ended.includes(name))).toEqual([])
      for (const { name, gone } of expected.databases) expect(after.databases.includes(name)).toBe(!gone)
      const local = after.users.filter(({ host }) => host === 'localhost')
      for (const user of expected.users.filter(({ gone }) => !gone))
        expect(local.find(({ name }) => name === user.name)).toMatchObject({ hash: user.hash, locked: expected.locked })
      for (const { user, host, on, privileges } of after.grants.filter(({ host }) => host === 'localhost')) {
        const row = expected.users.find(({ name }) => name === user)
        if (!row) continue
        const grant = row.grants.find(({ database }) => database.replace('_', '\\_') === on)
        const right = grant?.privileges.includes('ALL') ? everything : (grant?.privileges ?? [])
        expect([host, on, privileges.toSorted()]).toEqual([host, on, [...right].toSorted()])
      }
    }),
    { numRuns: 500 },
  )
})
