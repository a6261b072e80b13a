import { KeyedLock } from '../../shared/lock.ts'
import type { AccountName } from '../contract/account.ts'
import type { Doing } from '../contract/commands/index.ts'
import type { RotateRequest, Traffic, TrafficRequest, Visits, VisitsRequest } from '../contract/commands/logs.ts'
import type { HostLogs } from '../contract/driver.ts'
import { Directory, holding } from '../homes/home/directory.ts'
import { appLog, currentLog } from '../homes/home/logs.ts'
import { apacheLog } from '../parts/apache/units.ts'
import { eachAccount, renameLogs, shrinkLogs } from './rotate.ts'
import { type LogLimits, logLimits, sweepAccount, sweepService, sweepTraffic } from './sweep.ts'
import { trafficFiles, trafficOf } from './traffic.ts'
import { lineReaders } from './transfers.ts'
import { visitsOf } from './visits.ts'

interface Places {
  /** The directory of all logs. */
  readonly logs: string
  /** The name of an account's directory in it. */
  nameOf(account: AccountName): string | undefined
  readonly now: () => number
  /** Makes the daemons reopen their logs. */
  readonly reopen: () => Promise<void>
  /** Whether accounts' programs write to their logs themselves. */
  readonly appsHoldLogs: boolean
  /** The daemons' own logs. */
  readonly services?: readonly string[] | undefined
}

const say = ({ message }: Error): void => void process.stderr.write(`error: a log could not be cut: ${message}\n`)

/** For a log that does not exist yet. */
const start = { file: '0', offset: 0 }
const shared: readonly string[] = Object.values(trafficFiles)

/** The logs below one directory: reads and rotates them. */
export class DirectoryLogs implements HostLogs {
  readonly #places: Places
  readonly #readers = lineReaders()
  /** While files are renamed, nothing is counted. */
  readonly #turns = new KeyedLock()

  constructor(places: Places) {
    this.#places = places
  }

  async traffic(order: TrafficRequest): Promise<Traffic> {
    const doing = { read: this.#readers[order.log], now: this.#places.now() }
    const found = await this.#turns.run('', () => this.#in((logs) => trafficOf(logs, order, doing)))
    return found ?? { next: order.since ?? start, more: false, transfers: [] }
  }

  async visits({ sites, maxBytes: max, ...reading }: VisitsRequest): Promise<readonly Visits[]> {
    const visits: Visits[] = []
    const nameOf = once((account: AccountName) => this.#places.nameOf(account))
    let left = max
    for (const { account, ...site } of sites) {
      const unread = { next: site.since ?? start, more: left <= 0, days: [], length: 0 }
      const reads = (logs: Directory) => visitsOf(logs, site, { ...reading, maxBytes: left })
      const { length, ...input } = (left > 0 && (await this.#of(nameOf(account), reads))) || unread
      visits.push(input)
      left -= length
    }
    return visits
  }

  async rotateLogs(order: RotateRequest, { signal }: Doing = {}): Promise<void> {
    const own = { ...order, signal, isLog: (name: string) => shared.includes(name) }
    const isInUse = (name: string) => this.#places.appsHoldLogs && (appLog.test(name) || name === apacheLog)
    const sites = { ...order, signal, isInUse, isLog: (name: string) => currentLog.test(name) || appLog.test(name) }
    await this.#in(async (logs) => {
      await this.#turns.run('', async () => {
        await renameLogs(logs, own)
        await eachAccount(logs, (directory) => renameLogs(directory, sites))
        await this.#places.reopen()
      })
      await shrinkLogs(logs, own)
      await eachAccount(logs, (directory) => shrinkLogs(directory, sites))
    })
  }

  /** Keeps all logs within their limits; an error in one does not stop the others. */
  async sweep(limits: LogLimits = logLimits): Promise<void> {
    const day = new Date(this.#places.now()).toISOString().slice(0, 10)
    await this.#turns.run('', () =>
      this.#in(async (logs) => {
        await eachAccount(logs, (directory) => sweepAccount(directory, day, limits).catch(say))
        let isRenamed = false
        for (const name of shared) isRenamed = (await sweepTraffic(logs, name, day, limits)) || isRenamed
        if (isRenamed) await this.#places.reopen()
      }),
    )
    for (const path of this.#places.services ?? []) await sweepService(path, day, limits).catch(say)
  }

  /** Undefined if an account is not on the host yet. */
  async #of<T>(name: string | undefined, act: (logs: Directory) => Promise<T>): Promise<T | undefined> {
    if (name === undefined) return undefined
    return this.#in(async (logs) => {
      const directory = await missing(logs.down(Buffer.from(name)))
      return directory && holding(Promise.resolve(directory), act)
    })
  }

  /** Undefined if there are no logs yet. */
  async #in<T>(act: (logs: Directory) => Promise<T>): Promise<T | undefined> {
    const all = await missing(Directory.at(this.#places.logs))
    if (!all) return undefined
    return holding(Promise.resolve(all), act)
  }
}

/** Memoizes. */
function once<T>(act: (account: AccountName) => T): (account: AccountName) => T {
  const known = new Map<string, T>()
  return (account) => {
    if (!known.has(account.id)) known.set(account.id, act(account))
    return known.get(account.id)!
  }
}

const missing = <T>(opening: Promise<T>): Promise<T | undefined> =>
  opening.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
