import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivate } from '../../shared/files.ts'
import type { HomeQuota, UsedSpace } from '../backup/home.ts'
import type { AccountName, AccountState } from '../contract/driver.ts'
import { homeOf } from '../homes/home-paths.ts'
import type { Run } from './commands.ts'
import { homeMount, quotaKind } from './inspect/limits.ts'

const KILOBYTE = 1024
const MEGABYTE = 1024 * 1024
/** The inode number of a subvolume's root. */
const subvolume = 256
/** For the directories of a restore, and what the file system needs besides files. */
const MARGIN: UsedSpace = { bytes: 4 * MEGABYTE, inodes: 64 }

/** What an account may use; 0 is unlimited. */
type Limits = UsedSpace

/** A raise that has not ended, and the limits then. */
interface Raise {
  readonly account: Pick<AccountName, 'username' | 'uid'>
  readonly limits: Limits
}

interface QuotaOptions {
  readonly kind?: () => ReturnType<typeof quotaKind>
  /** Where raises are noted, so that the next agent ends them. */
  readonly folder?: string
}

/** Removes a home whose account could not be created. */
function removeUnused(home: string, uid: number): void {
  const found = lstatSync(home, { throwIfNoEntry: false })
  if (found && [0, uid].includes(found.uid) && readdirSync(home).length === 0) rmdirSync(home)
}

/** Limits a home by the file system, if that supports it. */
export class Quota implements HomeQuota {
  readonly #run: Run
  readonly #kind: () => ReturnType<typeof quotaKind>
  readonly #folder: string
  /** By user id. */
  readonly #raises = new Map<number, UsedSpace>()

  constructor(run: Run, { kind = quotaKind, folder = '/var/lib/panel-host/raised-quotas' }: QuotaOptions = {}) {
    this.#run = run
    this.#kind = () => kind()
    this.#folder = folder
  }

  /** btrfs counts by subvolume: a home must be one before anything is in it. */
  async makeHome({ username }: AccountName): Promise<void> {
    const home = `/${homeOf(username)}`
    if (this.#kind() === 'btrfs' && !existsSync(home)) await this.#run('/usr/bin/btrfs', ['subvolume', 'create', home])
  }

  async set({ username, uid, parts }: AccountState): Promise<void> {
    const { diskMb = 0, inodes = 0 } = parts.limits
    const account = { username, uid }
    const limits = { bytes: diskMb * MEGABYTE, inodes }
    const by = this.#raises.get(uid)
    if (by) this.#note({ account, limits })
    await this.#limit(account, by ? raisedBy(limits, by) : limits)
    if (!this.#raises.has(uid)) this.#forgetRaise(uid)
  }

  async forget({ username, uid }: AccountName): Promise<void> {
    const kind = this.#kind()
    this.#forgetRaise(uid)
    if (kind === 'btrfs') removeUnused(`/${homeOf(username)}`, uid)
    if (kind === 'ext4' || kind === 'xfs') await this.#limit({ username, uid }, { bytes: 0, inodes: 0 })
  }

  async raised<T>(account: AccountName, by: UsedSpace, work: () => Promise<T>): Promise<T> {
    const limits = this.#raiseOf(account.uid)?.limits ?? (await this.#limitsOf(account))
    if (limits.bytes === 0 && limits.inodes === 0) return work()
    this.#raises.set(account.uid, by)
    this.#note({ account, limits })
    try {
      await this.#limit(account, raisedBy(limits, by))
      return await work()
    } finally {
      await this.#end(account.uid)
    }
  }

  /** Ends what an agent that was killed had raised. */
  async recover(): Promise<void> {
    if (!existsSync(this.#folder)) return
    for (const name of readdirSync(this.#folder)) {
      const uid = Number(/^(\d+)\.json$/.exec(name)?.[1])
      if (Number.isInteger(uid)) await this.#end(uid)
    }
  }

  async #end(uid: number): Promise<void> {
    const raise = this.#raiseOf(uid)
    this.#raises.delete(uid)
    if (!raise) return
    await this.#limit(raise.account, raise.limits)
    this.#forgetRaise(uid)
  }

  #forgetRaise(uid: number): void {
    this.#raises.delete(uid)
    rmSync(this.#fileOf(uid), { force: true })
  }

  #note({ account: { username, uid }, limits }: Raise): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    writePrivate(this.#fileOf(uid), JSON.stringify({ account: { username, uid }, limits }))
  }

  #raiseOf(uid: number): Raise | undefined {
    const file = this.#fileOf(uid)
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Raise) : undefined
  }

  #fileOf = (uid: number): string => join(this.#folder, `${uid}.json`)

  async #limit({ username, uid }: Raise['account'], { bytes, inodes }: Limits): Promise<void> {
    const kind = this.#kind()
    if (kind === 'none') return
    if (kind === 'btrfs') {
      const home = `/${homeOf(username)}`
      if (isSubvolume(home)) await this.#run('/usr/bin/btrfs', ['qgroup', 'limit', bytes ? `${bytes}` : 'none', home])
      return
    }
    const [blocks, files] = [String(Math.ceil(bytes / KILOBYTE)), String(inodes)]
    await this.#run('/usr/sbin/setquota', ['-u', String(uid), blocks, blocks, files, files, homeMount() ?? '/'])
  }

  async #limitsOf({ username, uid }: AccountName): Promise<Limits> {
    const [kind, home] = [this.#kind(), `/${homeOf(username)}`]
    if (kind === 'btrfs' && isSubvolume(home))
      return subvolumeLimit(await this.#run('/usr/bin/btrfs', ['qgroup', 'show', '-rf', '--raw', home]))
    if (kind === 'ext4' || kind === 'xfs')
      return userLimits(await this.#run('/usr/sbin/repquota', ['-u', '-n', '-O', 'csv', homeMount() ?? '/']), uid)
    return { bytes: 0, inodes: 0 }
  }
}

const isSubvolume = (home: string): boolean => lstatSync(home, { throwIfNoEntry: false })?.ino === subvolume

/** At most twice as much, however much the account uses already. */
const raisedBy = (limits: Limits, by: UsedSpace): Limits => ({
  bytes: more(limits.bytes, by.bytes, MARGIN.bytes),
  inodes: more(limits.inodes, by.inodes, MARGIN.inodes),
})

const more = (limit: number, by: number, margin: number): number =>
  limit === 0 ? 0 : limit + Math.min(by, limit) + margin

/** The columns are qgroupid, rfer, excl, max_rfer. */
function subvolumeLimit(text: string): Limits {
  const [, bytes = 0] = /^0\/\d+\s+\d+\s+\d+\s+(\d+)/m.exec(text) ?? []
  return { bytes: Number(bytes), inodes: 0 }
}

/** Each line is `#UID`, two states, then used, soft limit, hard limit and grace, of blocks and of files. */
function userLimits(text: string, uid: number): Limits {
  const line = text.split('\n').find((one) => one.startsWith(`#${uid},`))
  const [, , , , , blocks = 0, , , , files = 0] = line?.split(',') ?? []
  return { bytes: Number(blocks) * KILOBYTE, inodes: Number(files) }
}
