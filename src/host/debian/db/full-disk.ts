import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { lstat, readdir, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { writePrivate } from '../../../shared/files.ts'
import { plain } from '../../parts/db/actual.ts'
import { canName, grantPattern, killUser, revoke } from '../../parts/db/statements.ts'
import type { Watched } from '../../traffic/watch.ts'
import type { Sql } from './client.ts'
import { databasesOf, grantsOf, listFolder } from './list.ts'

const MEGABYTE = 1024 * 1024
/** Less than this, or than a twentieth, is too little: other services need it, too. */
const MIN_FREE_BYTES = 2048 * MEGABYTE
const MIN_FREE_SHARE = 0.05
/** Of what is too little: with so much free, accounts beyond their quotas may write again. */
const ENOUGH = 1.25
const BLOCK_BYTES = 512
/** Of a transaction whose undo log others' files grow by. */
const MAX_CHANGED_ROWS = 1_000_000
const MAX_TRANSACTION_MINUTES = 10

/** What makes a database larger. SELECT, DELETE and DROP stay. */
const growing = ['INSERT', 'UPDATE', 'CREATE', 'ALTER', 'INDEX', 'CREATE ROUTINE', 'CREATE VIEW', 'EVENT', 'TRIGGER']

export interface Places {
  readonly data: string
  readonly databases: string
  readonly limits: string
  /** Names the accounts that may not write. */
  readonly closed: string
}

export const machinePlaces: Places = {
  data: '/var/lib/mysql',
  databases: listFolder,
  limits: '/etc/panel/limits.d',
  closed: '/var/lib/panel-host/full-databases.json',
}

interface Space {
  readonly free: number
  readonly total: number
}

/** Unlimited without a database server. */
async function spaceOf(path: string): Promise<Space> {
  if (!existsSync(path)) return { free: Number.MAX_SAFE_INTEGER, total: 0 }
  const { bavail, blocks, bsize } = await statfs(path)
  return { free: bavail * bsize, total: blocks * bsize }
}

/** The bytes that a directory's files have on disk. */
async function bytesIn(folder: string): Promise<number> {
  let bytes = 0
  for (const name of await readdir(folder).catch(() => []))
    bytes += ((await lstat(join(folder, name)).catch(() => undefined))?.blocks ?? 0) * BLOCK_BYTES
  return bytes
}

/**
 * No quota counts what MariaDB writes for accounts. While its file system is nearly full, an account whose databases
 * are larger than its disk quota can only read and delete.
 */
export class FullDisk {
  readonly #sql: Sql
  readonly #places: Places
  readonly #space: (path: string) => Promise<Space>

  constructor(sql: Sql, places = machinePlaces, space = spaceOf) {
    this.#sql = sql
    this.#places = places
    this.#space = space
  }

  get watched(): Watched {
    const freeBytes = async (path: string) => (await this.#space(path)).free
    return { path: this.#places.data, sweep: () => this.look(), freeBytes }
  }

  isClosed(username: string): boolean {
    return this.#closed().includes(username)
  }

  /** What was just granted to an account that may not write is revoked at once, not at the next look. */
  async keepClosed(username: string): Promise<void> {
    if (this.isClosed(username)) await this.#close(username)
  }

  async look(): Promise<void> {
    const { free, total } = await this.#space(this.#places.data)
    const needed = Math.max(MIN_FREE_BYTES, total * MIN_FREE_SHARE)
    const closed = this.#closed()
    const isShort = free < needed
    const candidates = isShort ? this.#usernames() : free < needed * ENOUGH ? closed : []
    const tooLarge = candidates.length === 0 ? [] : await this.#tooLarge(candidates)
    for (const username of closed) if (!tooLarge.includes(username)) await warned(this.#open(username))
    if (!isShort) return
    for (const username of tooLarge) await warned(this.#close(username))
    await this.#endTransactions()
  }

  /** Routines and events are rows of tables that all accounts share. */
  async #programs(): Promise<Map<string, number>> {
    const of = (table: string) =>
      `SELECT db, SUM(OCTET_LENGTH(body) + COALESCE(OCTET_LENGTH(body_utf8), 0)) FROM mysql.${table} GROUP BY db;`
    const sizes = new Map<string, number>()
    for (const line of (await this.#sql([of('proc'), of('event')])).split('\n')) {
      const [name = '', bytes] = line.split('\t')
      sizes.set(name, (sizes.get(name) ?? 0) + (Number(bytes) || 0))
    }
    return sizes
  }

  async #tooLarge(usernames: readonly string[]): Promise<string[]> {
    const programs = await this.#programs()
    const found: string[] = []
    for (const username of usernames) {
      const limit = this.#limitOf(username)
      let bytes = 0
      for (const name of limit === undefined ? [] : databasesOf(username, this.#places.databases))
        bytes += (await bytesIn(join(this.#places.data, name))) + (programs.get(name) ?? 0)
      if (limit !== undefined && bytes > limit) found.push(username)
    }
    return found
  }

  #usernames(): string[] {
    if (!existsSync(this.#places.databases)) return []
    return readdirSync(this.#places.databases).flatMap((name) => /^(.+)\.sql$/.exec(name)?.[1] ?? [])
  }

  /** Undefined: its home has no limit either. */
  #limitOf(username: string): number | undefined {
    const file = join(this.#places.limits, username)
    const [, megabytes] = (existsSync(file) && /^disk_mb=(\d+)$/m.exec(readFileSync(file, 'utf8'))) || []
    return megabytes === undefined ? undefined : Number(megabytes) * MEGABYTE
  }

  /** Again after each apply, which grants what the store says. */
  async #close(username: string): Promise<void> {
    if (!this.isClosed(username)) {
      this.#note([...this.#closed(), username])
      process.stderr.write(`warning: the disk is nearly full: the databases of ${username} can only be read\n`)
    }
    const patterns = databasesOf(username, this.#places.databases).map(
      (name) => `'${grantPattern(name).replaceAll('\\', '\\\\')}'`,
    )
    const among = growing.map((one) => `'${one}'`).join(', ')
    const output = await this.#sql([
      `SELECT GRANTEE, TABLE_SCHEMA, GROUP_CONCAT(PRIVILEGE_TYPE SEPARATOR ', ') FROM information_schema.SCHEMA_PRIVILEGES WHERE TABLE_SCHEMA IN (${patterns.join(', ')}) AND PRIVILEGE_TYPE IN (${among}) GROUP BY 1, 2;`,
    ])
    const statements = output.split('\n').flatMap((line) => revoked(line.split('\t').map(plain)))
    // A revoke takes effect at the next USE.
    if (statements.length > 0) await this.#sql(statements)
  }

  async #open(username: string): Promise<void> {
    const grants = grantsOf(username, this.#places.databases)
    if (grants.length > 0) await this.#sql(grants)
    this.#note(this.#closed().filter((one) => one !== username))
  }

  /** Undo logs are in a file that all share, and grow until a transaction ends. */
  async #endTransactions(): Promise<void> {
    const output = await this.#sql([
      `SELECT p.ID, p.USER FROM information_schema.INNODB_TRX t JOIN information_schema.PROCESSLIST p ON p.ID = t.trx_mysql_thread_id WHERE t.trx_rows_modified > ${MAX_CHANGED_ROWS} OR t.trx_started < NOW() - INTERVAL ${MAX_TRANSACTION_MINUTES} MINUTE;`,
    ])
    const prefixes = this.#usernames().flatMap((username) =>
      databasesOf(username, this.#places.databases).map(prefixOf),
    )
    const ended = output.split('\n').flatMap((line) => {
      const [id = '', user = ''] = line.split('\t')
      return /^\d+$/.test(id) && prefixes.includes(prefixOf(user)) ? [`KILL CONNECTION ${id};`] : []
    })
    if (ended.length > 0) await this.#sql(ended)
  }

  #closed(): string[] {
    return closedAccounts(this.#places.closed)
  }

  #note(usernames: readonly string[]): void {
    writePrivate(this.#places.closed, JSON.stringify(usernames))
  }
}

/** The accounts that may not write, as the file names them. */
export const closedAccounts = (path: string): string[] =>
  existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as string[]) : []

/** One account's error must not keep the others from their turn. */
const warned = (work: Promise<void>): Promise<void> =>
  work.catch(({ message }: Error) => void process.stderr.write(`warning: ${message}\n`))

const prefixOf = (name: string): string => name.slice(0, name.indexOf('_') + 1)

function revoked([grantee = '', on = '', privileges = '']: readonly string[]): string[] {
  const [, name, host] = /^'(.*)'@'(.*)'$/s.exec(grantee) ?? []
  if (name === undefined || host === undefined || !canName(name, host, on)) return []
  return [revoke([privileges], on, { name, host }), killUser(name)]
}
