import type { SourceDatabase, SourceDatabaseUser, SourceGrant } from '../contract/commands/imports.ts'
import type { Collected } from './collected.ts'
import type { CpanelTexts } from './cpanel-texts.ts'
import { dumpsOf, nativeHashOf } from './source-parts.ts'
import { linesOf } from './text.ts'

/** The dumps, with what their CREATE DATABASE says. */
export function databasesOf(texts: CpanelTexts, collected: Collected): SourceDatabase[] {
  const all = dumpsOf(collected, (bytes) => {
    const create = texts.of(`mysql/${bytes}.create`) ?? ''
    const charset = /CHARACTER SET (\w+)/i.exec(create)?.[1]
    const collation = /COLLATE (\w+)/i.exec(create)?.[1]
    return { ...(charset && { charset }), ...(collation && { collation }) }
  })
  return all.filter(({ name }) => name !== 'roundcube' && name !== 'horde')
}

interface Named {
  readonly name: string
  readonly host: string
}

const quoted = "'([^'\\\\`;]*)'"
const usage = new RegExp(
  `^GRANT USAGE ON \\*\\.\\* TO ${quoted}@${quoted}(?: IDENTIFIED (?:BY PASSWORD|WITH '?\\w+'? AS|VIA \\w+ USING) ${quoted})?(?: WITH .*)?;?$`,
  'i',
)
const grant = new RegExp(
  `^GRANT ([A-Z, ]+) ON [\`'"]([^\`'";]+)[\`'"]\\.\\* TO ${quoted}@${quoted}( WITH GRANT OPTION)?;?$`,
  'i',
)

/** Collects a user's hosts, hash and grants from the lines of `mysql.sql`. */
class User {
  readonly hosts = new Set<string>()
  readonly grants = new Map<string, SourceGrant>()
  hash: string | undefined
  isSha2 = false
}

/** `mysql.sql` is parsed by two forms, a line each, and never run. What has another form is refused, and named. */
export function databaseUsersOf(texts: CpanelTexts): SourceDatabaseUser[] {
  const users = new Map<string, User>()
  const user = ({ name, host }: Named): User => {
    const there = users.get(name) ?? new User()
    users.set(name, there)
    there.hosts.add(host)
    return there
  }
  for (const [at, line] of linesOf(texts.of('mysql.sql') ?? '').entries()) {
    const text = line.trim()
    if (text === '' || text.startsWith('--') || text.startsWith('#')) continue
    if (!readLine(text, user))
      texts.find({
        part: 'mysql',
        item: 'mysql.sql',
        text: 'a statement that is not a grant was left out',
        file: 'mysql.sql',
        line: at + 1,
      })
  }
  readJson(texts, user)
  return [...users].map(([name, one]) => ({
    name,
    hosts: [...one.hosts],
    ...nativeHashOf(one.hash ?? '', one.isSha2),
    grants: [...one.grants.values()],
  }))
}

function readLine(text: string, user: (named: Named) => User): boolean {
  const used = usage.exec(text)
  if (used) {
    const there = user({ name: used[1]!, host: used[2]! })
    there.hash ??= used[3]
    return true
  }
  const granted = grant.exec(text)
  if (!granted) return false
  const there = user({ name: granted[3]!, host: granted[4]! })
  const database = granted[2]!
  const privileges = granted[1]!.split(',').map((one) =>
    one
      .trim()
      .toUpperCase()
      .replace(/ PRIVILEGES$/, ''),
  )
  if (!there.grants.has(database))
    there.grants.set(database, { database, privileges, grantOption: granted[5] !== undefined })
  return true
}

/** `{user: {host: {auth_plugin, pass_hash}}}`, of newer versions. */
function readJson(texts: CpanelTexts, user: (named: Named) => User): void {
  const text = texts.of('mysql.sql-auth.json')
  if (text === undefined) return
  try {
    for (const [name, hosts] of entriesOf(JSON.parse(text)))
      for (const [host, auth] of entriesOf(hosts)) {
        const { auth_plugin: plugin, pass_hash: hex } = Object.fromEntries(entriesOf(auth))
        const there = user({ name, host })
        if (plugin === 'caching_sha2_password') there.isSha2 = true
        if (typeof hex === 'string' && /^(?:[0-9a-f]{2}){1,256}$/i.test(hex))
          there.hash ??= Buffer.from(hex, 'hex').toString('latin1')
      }
  } catch {
    texts.find({ part: 'mysql', item: 'mysql.sql-auth.json', text: 'is not JSON, and was left out' })
  }
}

const entriesOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null ? Object.entries(value).slice(0, MAX_USERS) : []

const MAX_USERS = 10_000
