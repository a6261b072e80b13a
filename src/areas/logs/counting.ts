import { asc, eq, gt } from 'drizzle-orm'
import type { HostClient } from '../../host/client.ts'
import {
  type AccountName,
  type LogPlace,
  type SiteLog,
  type Traffic,
  type TrafficLog,
  trafficLogs,
  type Visits,
} from '../../host/driver.ts'
import type { Outside } from '../../runtime/area.ts'
import { isAway } from '../../runtime/away.ts'
import type { Engine } from '../../runtime/engine.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { every } from '../../runtime/tick.ts'
import { localNode } from '../../shared/node-name.ts'
import { day, minute } from '../../shared/time.ts'
import type { Db } from '../../store/open.ts'
import { nodeOf } from '../accounts/node.ts'
import { hostNameOf } from '../accounts/state.ts'
import { accounts } from '../accounts/tables.ts'
import { fileOf } from '../domains/names.ts'
import { domainById } from '../domains/store.ts'
import { type DomainRow, domains } from '../domains/tables.ts'
import { dayOf, daysBefore } from './days.ts'
import { placeOf, setPlace } from './places.ts'
import { makeSalts, saltsIn } from './salts.ts'
import { type Amounts, addTraffic, ownerOf, showMonth } from './traffic.ts'
import { turnOfDay } from './turn.ts'
import { addVisits } from './visitors.ts'

const quarter = 15 * minute
/** Bytes per read: about what is counted in a tenth of a second. */
const most = 4 * 1024 * 1024
/** Sites per request. */
const sitesAtOnce = 200
/** Older lines are from a wrong clock. */
const farthest = 31

type Hosts = Pick<Outside, 'host' | 'fleet'>

/** Counts new log lines every quarter of an hour, and at the end of a day. No job row, no event. */
export class Counting implements Engine {
  readonly stop: () => Promise<void>
  #round: Promise<void> = Promise.resolve()

  constructor(runtime: Runtime, hosts: Hosts) {
    const untilNext = () => Math.min(quarter, day - (runtime.clock.now() % day))
    this.stop = every(runtime, untilNext, 'logs could not be counted', (signal) => {
      this.#round = new Round(runtime, hosts, signal).run()
      return this.#round
    })
  }

  /** Resolves when the current round is over. */
  idle(): Promise<void> {
    return this.#round
  }
}

class Round {
  readonly #runtime: Runtime
  readonly #hosts: Hosts
  readonly #signal: AbortSignal
  readonly #now: number

  constructor(runtime: Runtime, hosts: Hosts, signal: AbortSignal) {
    this.#runtime = runtime
    this.#hosts = hosts
    this.#signal = signal
    this.#now = runtime.clock.now()
  }

  async run(): Promise<void> {
    const { store } = this.#runtime
    // Do not start the host for a server without sites.
    if (domainsAfter(store.db, '', 1).length === 0) return
    const today = dayOf(this.#now)
    await makeSalts(store, today)
    await Promise.all(this.#hosts.fleet.linked.map((linked) => this.#countNode(...linked)))
    await this.#countVisits()
    if (!this.#signal.aborted) await turnOfDay(this.#runtime, this.#hosts.host, today, this.#signal)
  }

  get #stretch() {
    const last = dayOf(this.#now)
    return { first: daysBefore(last, farthest - 1), last, most }
  }

  /** A failing node delays no other: its logs are counted in a later round. */
  async #countNode(node: string, host: HostClient): Promise<void> {
    try {
      for (const log of trafficLogs) await this.#countTraffic(node, host, log)
    } catch (error) {
      if (node === localNode) throw error
      if (!isAway(error)) this.#runtime.log.warn({ err: error, node }, 'traffic of a node could not be counted')
    }
  }

  async #countTraffic(node: string, host: HostClient, log: TrafficLog): Promise<void> {
    const { store } = this.#runtime
    const place = node === localNode ? log : `${log}@${node}`
    for (let more = true; more && !this.#signal.aborted; ) {
      const since = placeOf(store.db, place)
      const told = await host.traffic({ ...this.#stretch, log, ...(since && { since }) }, { signal: this.#signal })
      if (isMoved(since, told.next)) await store.change(() => this.#keepTraffic(node, log, place, told))
      more = told.more
    }
  }

  /** A node's log only counts for its own accounts. */
  #keepTraffic(node: string, log: TrafficLog, place: string, { transfers, next }: Traffic): void {
    const { db } = this.#runtime.store
    const whose = new Map(transfers.map(({ name }) => [name, this.#ownerOn(node, name)]))
    for (const { name, day, received, sent } of transfers) {
      const account = whose.get(name)
      if (account !== undefined) addTraffic(db, account, day, amountsOf(log, received, sent))
    }
    for (const account of new Set(whose.values())) if (account !== undefined) showMonth(db, account, this.#now)
    setPlace(db, place, next)
  }

  #ownerOn(node: string, name: string): string | undefined {
    const { db } = this.#runtime.store
    const account = ownerOf(db, name)
    return account !== undefined && nodeOf(db, account) === node ? account : undefined
  }

  async #countVisits(): Promise<void> {
    const { db } = this.#runtime.store
    for (let after = ''; !this.#signal.aborted; ) {
      const found = domainsAfter(db, after)
      if (found.length === 0) return
      for (let sites = found; sites.length > 0; ) sites = await this.#countSites(sites)
      after = found.at(-1)!.id
    }
  }

  /** Returns the sites with more log to read. */
  async #countSites(sites: readonly Site[]): Promise<Site[]> {
    if (this.#signal.aborted) return []
    const { store } = this.#runtime
    const order = { ...this.#stretch, salts: saltsIn(store.db), sites: sites.map((site) => logOf(store.db, site)) }
    const told = await this.#hosts.host.visits(order, { signal: this.#signal })
    const news = sites.flatMap((site, n) =>
      isMoved(order.sites[n]!.since, told[n]!.next) ? [[site, told[n]!] as const] : [],
    )
    if (news.length > 0)
      await store.change(() => {
        for (const [site, visits] of news) this.#keepVisits(site, visits)
      })
    return sites.filter((_, n) => told[n]!.more)
  }

  /** Ignores a domain deleted since. */
  #keepVisits({ id }: Site, { days, next }: Visits): void {
    const { store } = this.#runtime
    const domain = domainById(store.db, id)
    if (!domain) return
    for (const told of days) addVisits(store.db, domain, told)
    setPlace(store.db, id, next, id)
  }
}

const isMoved = (since: LogPlace | undefined, next: LogPlace): boolean =>
  next.file !== (since?.file ?? '0') || next.offset !== (since?.offset ?? 0)

const amountsOf = (log: TrafficLog, received: number, sent: number): Amounts => ({
  web_in: log === 'web' ? received : 0,
  web_out: log === 'web' ? sent : 0,
  ftp: log === 'ftp' ? received + sent : 0,
  mail: log === 'mail' ? received + sent : 0,
})

type Site = Pick<DomainRow, 'id' | 'name'> & { readonly account: AccountName }

const domainsAfter = (db: Db, after: string, most = sitesAtOnce): Site[] =>
  db
    .select({
      id: domains.id,
      name: domains.name,
      account: {
        id: accounts.id,
        username: accounts.username,
        applied_username: accounts.applied_username,
        uid: accounts.uid,
        main_domain: accounts.main_domain,
      },
    })
    .from(domains)
    .innerJoin(accounts, eq(accounts.id, domains.account_id))
    .where(gt(domains.id, after))
    .orderBy(asc(domains.id))
    .limit(most)
    .all()
    .map(({ account, ...site }) => ({ ...site, account: hostNameOf(account) }))

function logOf(db: Db, { id, name, account }: Site): SiteLog {
  const since = placeOf(db, id)
  return { account, file: fileOf(name), ...(since && { since }) }
}
