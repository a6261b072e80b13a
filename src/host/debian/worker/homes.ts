import type { Packed, SavedHome } from '../../backup/home.ts'
import type { AccountName } from '../../contract/account.ts'
import type { HostFiles } from '../../contract/driver.ts'
import { HostError } from '../../contract/error.ts'
import { checkedReport, type DumpReport } from '../../dumps/report.ts'
import type { HomeAccess, HomeSize } from '../../homes/access.ts'
import { LocalHomes } from '../../homes/local.ts'
import { WorkerFiles } from './files.ts'
import type { Tenant, Workers } from './pool.ts'

/** A home for backups: its owner's process reads and writes it, while the backup itself stays with root. */
const savedByWorker = (workers: Workers, tenant: () => Tenant): SavedHome => ({
  async pack(part, signal) {
    const request = workers.ask(tenant(), 'pack', { part }, signal)
    if ((await request.opened()) === null) {
      await request.done()
      return undefined
    }
    let packed: Packed | null = null
    const bytes = async function* () {
      yield* request.bytes()
      packed = await request.done()
    }
    return { bytes: bytes(), result: () => packed ?? { files: 0, inodes: 0, bytes: 0, warnings: [] } }
  },
  async dump(input, signal) {
    const request = workers.ask(tenant(), 'dump', input, signal)
    await request.opened()
    let report: DumpReport | undefined
    const bytes = async function* () {
      yield* request.bytes()
      report = checkedReport(await request.done())
    }
    return { bytes: bytes(), report: () => report! }
  },
  replaced: (staging, signal) => workers.ask(tenant(), 'replaced', staging, signal).done(),
  async stage(staging, bytes, signal) {
    const request = workers.ask(tenant(), 'stage', staging, signal)
    const sent = request.send(bytes)
    sent.catch(() => {})
    const swap = await request.done()
    await sent
    return swap
  },
  swap: async (name, swap) => void (await workers.ask(tenant(), 'swap', { name, swap }).done()),
  clear: async (name) => void (await workers.ask(tenant(), 'clear', { name }).done()),
})

/** Homes accessed by processes with their owners' privileges. */
export class WorkerHomes implements HomeAccess {
  readonly #workers: Workers
  readonly #nameOf: (account: AccountName) => string | undefined

  constructor(workers: Workers, nameOf: (account: AccountName) => string | undefined) {
    this.#workers = workers
    this.#nameOf = nameOf
  }

  files(account: AccountName): HostFiles {
    const logs = new LocalHomes({ root: '/', nameOf: this.#nameOf }).files(account)
    return new WorkerFiles(account.id, this.#workers, () => this.#tenant(account), logs)
  }

  saved(account: AccountName): SavedHome {
    return savedByWorker(this.#workers, () => {
      const tenant = this.#tenant(account)
      if (tenant) return tenant
      throw new HostError('stage', 'The account has no home on the host yet.')
    })
  }

  async measure(account: AccountName, signal?: AbortSignal): Promise<HomeSize> {
    const tenant = this.#tenant(account)
    if (!tenant) return { bytes: 0, inodes: 0, atLeast: false, mailboxes: [] }
    return this.#workers.ask(tenant, 'measure', {}, signal).done()
  }

  async reclaim(account: AccountName, signal?: AbortSignal): Promise<number> {
    const tenant = this.#tenant(account)
    return tenant ? this.#workers.ask(tenant, 'reclaim', {}, signal).done() : 0
  }

  #tenant(account: AccountName): Tenant | undefined {
    const username = this.#nameOf(account)
    return username === undefined ? undefined : { username, uid: account.uid }
  }
}
