import { existsSync, lstatSync, readdirSync, rmdirSync } from 'node:fs'
import type { AccountName, AccountState } from '../contract/driver.ts'
import { homeOf } from '../homes/home-paths.ts'
import type { LimitsState } from '../parts/limits.ts'
import type { Run } from './commands.ts'
import { homeMount, quotaKind } from './inspect/limits.ts'

const kilobytes = 1024
/** The inode number of a subvolume's root. */
const subvolume = 256

/** Removes a home whose account could not be created. */
function removeUnused(home: string, uid: number): void {
  const found = lstatSync(home, { throwIfNoEntry: false })
  if (found && [0, uid].includes(found.uid) && readdirSync(home).length === 0) rmdirSync(home)
}

/** Limits a home by the file system, if that supports it. */
export class Quota {
  readonly #run: Run
  readonly #kind: () => ReturnType<typeof quotaKind>

  constructor(run: Run, kind = () => quotaKind()) {
    this.#run = run
    this.#kind = kind
  }

  /** btrfs counts by subvolume: a home must be one before anything is in it. */
  async makeHome({ username }: AccountName): Promise<void> {
    const home = `/${homeOf(username)}`
    if (this.#kind() === 'btrfs' && !existsSync(home)) await this.#run('/usr/bin/btrfs', ['subvolume', 'create', home])
  }

  async set({ username, uid, parts: { limits } }: AccountState): Promise<void> {
    const kind = this.#kind()
    if (kind === 'btrfs') await this.#setSubvolume(`/${homeOf(username)}`, limits)
    else if (kind !== 'none') await this.#setUser(uid, limits)
  }

  async forget({ username, uid }: AccountName): Promise<void> {
    const kind = this.#kind()
    if (kind === 'btrfs') removeUnused(`/${homeOf(username)}`, uid)
    if (kind === 'ext4' || kind === 'xfs') await this.#setUser(uid, {})
  }

  async #setSubvolume(home: string, { diskMb }: LimitsState): Promise<void> {
    if (lstatSync(home, { throwIfNoEntry: false })?.ino !== subvolume) return
    await this.#run('/usr/bin/btrfs', ['qgroup', 'limit', diskMb === undefined ? 'none' : `${diskMb}M`, home])
  }

  async #setUser(uid: number, { diskMb = 0, inodes = 0 }: LimitsState): Promise<void> {
    const [blocks, files] = [String(diskMb * kilobytes), String(inodes)]
    await this.#run('/usr/sbin/setquota', ['-u', String(uid), blocks, blocks, files, files, homeMount() ?? '/'])
  }
}
