import { join } from 'node:path'
import type { SavedHome } from '../backup/home.ts'
import { localHome } from '../backup/local.ts'
import type { AccountName } from '../contract/account.ts'
import type { HostFiles } from '../contract/driver.ts'
import { HostError } from '../contract/error.ts'
import type { FailPoint } from '../install/engine.ts'
import { mailboxUsage } from '../measure/mailboxes.ts'
import { type Bounds, measure } from '../measure/walk.ts'
import type { HomeAccess, HomeSize } from './access.ts'
import { Directory, holding } from './home/directory.ts'
import { HomeFiles } from './home/index.ts'
import { reclaim } from './home/reclaim.ts'
import { homeOf } from './home-paths.ts'

export interface LocalOptions {
  readonly root: string
  /** The name of an account's home; undefined before its first apply. */
  nameOf(account: AccountName): string | undefined
  readonly bounds?: Bounds | undefined
  readonly onFailPoint?: FailPoint | undefined
}

/** Homes that this process accesses with its own privileges. */
export class LocalHomes implements HomeAccess {
  readonly #options: LocalOptions

  constructor(options: LocalOptions) {
    this.#options = options
  }

  files(account: AccountName): HostFiles {
    const { root, nameOf, onFailPoint } = this.#options
    return new HomeFiles({ above: join(root, 'home'), logs: join(root, 'var/log/panel'), nameOf, onFailPoint }, account)
  }

  saved(account: AccountName): SavedHome {
    return localHome(() => this.#open(account), this.#options.onFailPoint)
  }

  async measure(account: AccountName, signal?: AbortSignal): Promise<HomeSize> {
    const { root, nameOf, bounds } = this.#options
    // Until a rename is applied, its home has the former name.
    const username = nameOf(account) ?? account.username
    const size = await measure(join(root, homeOf(username)), bounds, signal)
    return { ...size, mailboxes: await mailboxUsage(root, username, bounds, signal) }
  }

  async reclaim(account: AccountName, signal?: AbortSignal): Promise<number> {
    const { root, nameOf } = this.#options
    return reclaim(join(root, homeOf(nameOf(account) ?? account.username)), signal)
  }

  async #open(account: AccountName): Promise<Directory> {
    const name = this.#options.nameOf(account)
    if (name === undefined) throw new HostError('stage', 'The account has no home on the host yet.')
    return holding(Directory.at(join(this.#options.root, 'home')), (homes) => homes.down(Buffer.from(name)))
  }
}
