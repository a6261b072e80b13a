import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import type { Dump, Filling, SavedDatabases } from '../../../backup/databases.ts'
import type { Definer } from '../../../backup/definer.ts'
import { HostError } from '../../../contract/error.ts'
import type { Collations } from '../../../dumps/collations.ts'
import { actualQueries, readActual } from '../../../parts/db/actual.ts'
import { createDatabase, dropDatabase, grantPattern } from '../../../parts/db/statements.ts'
import { type Sql, socket } from '../client.ts'
import { databasesOf, listFolder } from '../list.ts'
import { SingleUseUsers } from '../single-use-users.ts'
import { type Confine, openly } from './confine.ts'
import { assignDefiners, definersIn } from './definers.ts'
import { dumper, dumpOf } from './dump.ts'
import { load } from './load.ts'
import { type Owners, ownerOf } from './owner.ts'
import { LargePackets } from './packets.ts'

/** No single statement may occupy the server for longer. */
const maxStatement = ' WITH MAX_STATEMENT_TIME 3600'
const trials = 'panel_trial_'

/** Dumps and restores the content of accounts' databases on MariaDB. */
export class DatabaseContent implements SavedDatabases {
  readonly #sql: Sql
  readonly #socket: string
  readonly #lists: string
  readonly #confine: Confine
  readonly #isClosed: (username: string) => boolean
  readonly #singleUse: SingleUseUsers
  readonly #packets: LargePackets

  /** `isClosed`: whether an account may only read, as its databases take room that others need. */
  constructor(sql: Sql, { at = socket, lists = listFolder, confine = openly, isClosed = noneIsClosed } = {}) {
    this.#sql = sql
    this.#confine = confine
    this.#isClosed = isClosed
    this.#socket = at
    this.#lists = lists
    this.#packets = new LargePackets(sql)
    this.#singleUse = new SingleUseUsers(sql, 'panel_restore_', maxStatement)
  }

  isThere(): boolean {
    return existsSync(dumper)
  }

  dump(name: string, signal?: AbortSignal, { forOthers }: { readonly forOthers?: true } = {}): Dump {
    const root = ['--no-defaults', '--user=root', `--socket=${this.#socket}`]
    return dumpOf(this.#sql, root, name, { signal, forOthers })
  }

  async tryOut(filling: Filling, bytes: number, before?: Filling): Promise<void> {
    if (!this.#databasesOf(filling).includes(filling.name)) throw noSuchDatabase()
    if (this.#isClosed(filling.account.username)) throw isFull()
    await this.load(filling, bytes, before)
  }

  async load(filling: Filling, bytes: number, before?: Filling): Promise<void> {
    await this.#refuseWithoutRoom(bytes)
    const name = `${trials}${randomBytes(4).toString('hex')}`
    try {
      await this.#sql([createDatabase({ ...filling, name, gone: false })])
      if (before) await this.#load(name, before)
      await this.#load(name, filling)
    } finally {
      await this.#sql([dropDatabase(name)])
    }
  }

  async fill(filling: Filling): Promise<string[]> {
    const { name } = filling
    if (!this.#databasesOf(filling).includes(name)) throw noSuchDatabase()
    if (!filling.merges) await this.#sql([dropDatabase(name), createDatabase({ ...filling, gone: false })])
    const warnings: string[] = []
    await this.#load(name, filling, async (maker) => {
      const owners = await this.#owners(filling)
      const was = new Map(filling.definers.map((one) => [keyOf(one), one]))
      const { events } = await assignDefiners(this.#sql, name, maker, (one) => {
        const { warning, ...owner } = ownerOf(was.get(keyOf(one)), owners, filling)
        if (warning !== undefined) warnings.push(`${name}: ${one.name}: ${warning}`)
        return owner
      })
      warnings.push(...(await this.#eventWarnings(filling, events)))
    })
    return warnings
  }

  /** MariaDB does not create an event whose only time has passed. */
  async #eventWarnings({ name, definers, isPrepared }: Filling, running: readonly string[]): Promise<string[]> {
    const now = new Set((await definersIn(this.#sql, name)).map(keyOf))
    const over = definers.filter((one) => one.kind === 'EVENT' && !now.has(keyOf(one)))
    const isIdle = isPrepared && running.length > 0 && (await this.#sql(['SELECT @@event_scheduler;'])).trim() !== 'ON'
    return [
      ...over.map((one) => `${name}: ${one.name}: left out: the time of this event has passed`),
      ...(isIdle ? running : []).map(
        (one) => `${name}: ${one}: does not run while the server's event scheduler is off`,
      ),
    ]
  }

  /** Removes users and databases that a crashed restore left. */
  async recover(): Promise<void> {
    if (!this.isThere()) return
    await this.#singleUse.dropLeft()
    await this.#packets.recover()
    const left = await this.#sql([`SHOW DATABASES LIKE '${trials.replaceAll('_', '\\_')}%';`])
    const names = left.split('\n').filter((name) => /^panel_trial_[0-9a-f]{8}$/.test(name))
    if (names.length > 0) await this.#sql(names.map(dropDatabase))
  }

  /** The user has all privileges on the database, and may read the account's others: a view may refer to them. */
  async #load(name: string, filling: Filling, then?: (maker: string) => Promise<void>): Promise<void> {
    const all = `ALL PRIVILEGES ON \`${grantPattern(name)}\`.*`
    const others = filling.isPrepared ? [] : this.#databasesOf(filling).filter((one) => one !== name)
    const reads = others.map((one) => `SELECT ON \`${grantPattern(one)}\`.*`)
    await this.#singleUse.use([all, ...reads], async (login) => {
      await this.#packets.during(login.user, () => load(this.#socket, name, login, filling, this.#confine))
      await then?.(login.user)
    })
  }

  #databasesOf({ account }: Filling): string[] {
    return databasesOf(account.username, this.#lists)
  }

  async #owners({ prefix, name }: Filling): Promise<Owners> {
    const { users, grants } = readActual(await this.#sql(actualQueries(prefix)))
    const granted = grants.filter(({ on, host }) => on === grantPattern(name) && host === 'localhost')
    return { users, max: granted.toSorted((a, b) => b.privileges.length - a.privileges.length)[0]?.user }
  }

  async room(): Promise<number> {
    return Math.floor((await this.#free()) / 2)
  }

  async collations(): Promise<Collations> {
    const has = async (like: string): Promise<boolean> => (await this.#sql([`SHOW COLLATION LIKE '${like}';`])) !== ''
    return { uca1400: await has('%uca1400\\_ai\\_ci'), uca0900: await has('utf8mb4\\_0900\\_ai\\_ci') }
  }

  async #free(): Promise<number> {
    const folder = (await this.#sql(['SELECT @@datadir;'])).trim()
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize
  }

  async #refuseWithoutRoom(bytes: number): Promise<void> {
    const free = await this.#free()
    if (2 * bytes <= free) return
    throw new HostError(
      'precheck',
      `It needs ${mb(2 * bytes)} MB, and ${mb(free)} MB are free for databases.`,
      'ENOSPC',
    )
  }
}

const noSuchDatabase = (): HostError => new HostError('precheck', 'The account has no such database on this host.')
const isFull = (): HostError =>
  new HostError(
    'precheck',
    'The disk of the databases is nearly full, and those of the account are larger than its disk quota: nothing can be loaded until there is room, or they are smaller.',
    'ENOSPC',
  )
const noneIsClosed = (_: string): boolean => false
const keyOf = ({ kind, name }: Definer): string => JSON.stringify([kind, name])
const mb = (bytes: number): number => Math.ceil(bytes / 1024 / 1024)
