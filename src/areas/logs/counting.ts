import { and, asc, eq, gt } from 'drizzle-orm'
import type { HostClient } from '../../host/contract/client.ts'
import {
  type AccountName,
  type LogPlace,
  type SiteLog,
  type Traffic,
  type TrafficLog,
  trafficLogs,
  type Visits,
} from '../../host/contract/driver.ts'
import { within } from '../../host/nodes/fleet/deadline.ts'
import type { LinkedHost } from '../../host/nodes/fleet/fleet.ts'
import type { Outside } from '../../runtime/areas/area.ts'
import type { Engine } from '../../runtime/areas/engine.ts'
import { every } from '../../runtime/clock/interval.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { localNode } from '../../shared/node-name.ts'
import { day, minute } from '../../shared/time.ts'
import type { Db } from '../../store/open.ts'
import { hostNameOf } from '../accounts/objects/state.ts'
import { accounts } from '../accounts/tables.ts'
import { fileOf } from '../domains/names.ts'
import { domainById } from '../domains/store.ts'
import { type DomainRow, domains } from '../domains/tables.ts'
import { dayOf, daysBefore } from './days.ts'
import { placeOf, setPlace } from './offsets.ts'
import { makeSalts, saltsIn } from './salts.ts'
import { type Amounts, addTraffic, ownersOn, showMonth } from './traffic.ts'
import { turnOfDay } from './turn.ts'
import { addVisits } from './visitors.ts'

const quarter = 15 * minute
/** Bytes per read: about what is counted in a tenth of a second. */
const MAX_READ_BYTES = 4 * 1024 * 1024
/** Sites per request. */
const sitesAtOnce = 200
const SITES_PER_COMMIT = 20
/** Of a log, or of a batch of sites, in one round. */
const MAX_READS = 250
/** For all logs of another node in one round. */
const NODE_TIMEOUT_MS = 5 * minute
/** Of an account in one read, far more than there can be: sums stay integers that the store can hold. */
const MAX_TRANSFER = 2 ** 40
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
    if (store.db.select({ id: domains.id }).from(domains).limit(1).get() === undefined) return
    const today = dayOf(this.#now)
    await makeSalts(store, today)
    await Promise.all(this.#hosts.fleet.linked.map((linked) => this.#countNode(linked)))
    if (!this.#signal.aborted) await turnOfDay(this.#runtime, this.#hosts.host, today, this.#signal)
  }

  /** A failing or slow node delays no other: the rest of its logs is counted in a later round. */
  async #countNode([node, host]: LinkedHost): Promise<void> {
    const count = (signal: AbortSignal) => new NodeRound(this.#runtime, { node, host, signal, now: this.#now }).run()
    if (node === localNode) return count(this.#signal)
    const { clock, log } = this.#runtime
    const after = (ms: number, act: () => void) => clock.after(ms, act)
    const deadline = { node, ms: NODE_TIMEOUT_MS, after, signal: this.#signal }
    await within(deadline, count).catch((error: unknown) => {
      if (!this.#signal.aborted) log.warn({ err: error, node }, 'logs of a node could not be counted')
    })
  }
}

interface Counted {
  readonly node: string
  readonly host: HostClient
  readonly signal: AbortSignal
  readonly now: number
}

/** Counts the logs of one node. */
class NodeRound {
  readonly #runtime: Runtime
  readonly #node: string
  readonly #host: HostClient
  readonly #signal: AbortSignal
  readonly #now: number

  constructor(runtime: Runtime, { node, host, signal, now }: Counted) {
    this.#runtime = runtime
    this.#node = node
    this.#host = host
    this.#signal = signal
    this.#now = now
  }

  async run(): Promise<void> {
    for (const log of trafficLogs) await this.#countTraffic(log)
    await this.#countVisits()
  }

  get #range() {
    const last = dayOf(this.#now)
    return { first: daysBefore(last, farthest - 1), last, maxBytes: MAX_READ_BYTES }
  }

  /** A node that always claims to have more is not read without end. */
  async #countTraffic(log: TrafficLog): Promise<void> {
    const { store } = this.#runtime
    const place = this.#node === localNode ? log : `${log}@${this.#node}`
    for (let reads = 0; reads < MAX_READS && !this.#signal.aborted; reads++) {
      const since = placeOf(store.db, place)
      const order = { ...this.#range, log, ...(since && { since }) }
      const reported = await this.#host.traffic(order, { signal: this.#signal })
      if (this.#signal.aborted || !isMoved(since, reported.next)) return
      await store.change(() => this.#keepTraffic(log, place, reported))
      if (!reported.more) return
    }
  }

  /** A node's log only counts for its own accounts, and is one row for each of them and day, however long it is. */
  #keepTraffic(log: TrafficLog, place: string, { transfers, next }: Traffic): void {
    const { db } = this.#runtime.store
    const owners = ownersOn(db, this.#node, [...new Set(transfers.map(({ name }) => name))])
    const sums = new Map<string, { account: string; day: string; received: number; sent: number }>()
    for (const { name, day, received, sent } of transfers) {
      const account = owners.get(name)
      if (account === undefined) continue
      const sum = sums.get(`${account} ${day}`) ?? { account, day, received: 0, sent: 0 }
      sums.set(`${account} ${day}`, { ...sum, received: sum.received + received, sent: sum.sent + sent })
    }
    for (const { account, day, received, sent } of sums.values())
      addTraffic(db, account, day, amountsOf(log, Math.min(received, MAX_TRANSFER), Math.min(sent, MAX_TRANSFER)))
    for (const account of new Set(owners.values())) showMonth(db, account, this.#now)
    setPlace(db, place, next)
  }

  async #countVisits(): Promise<void> {
    const { db } = this.#runtime.store
    for (let after = ''; !this.#signal.aborted; ) {
      const found = domainsAfter(db, this.#node, after)
      if (found.length === 0) return
      let sites = found
      for (let reads = 0; reads < MAX_READS && sites.length > 0; reads++) sites = await this.#countSites(sites)
      after = found.at(-1)!.id
    }
  }

  /** Returns the sites with more log to read. */
  async #countSites(sites: readonly CountedSite[]): Promise<CountedSite[]> {
    if (this.#signal.aborted) return []
    const { store } = this.#runtime
    const order = { ...this.#range, salts: saltsIn(store.db), sites: sites.map((site) => logOf(store.db, site)) }
    const reported = await this.#host.visits(order, { signal: this.#signal })
    const news = sites.flatMap((site, n) => {
      const visits = reported[n]
      return visits && isMoved(order.sites[n]!.since, visits.next) ? [[site, visits] as const] : []
    })
    for (let from = 0; from < news.length && !this.#signal.aborted; from += SITES_PER_COMMIT)
      await store.change(() => {
        for (const [site, visits] of news.slice(from, from + SITES_PER_COMMIT)) this.#keepVisits(site, visits)
      })
    return news.length === 0 ? [] : sites.filter((_, n) => reported[n]?.more)
  }

  /** Ignores a domain deleted since. */
  #keepVisits({ id }: CountedSite, { days, next }: Visits): void {
    const { store } = this.#runtime
    const domain = domainById(store.db, id)
    if (!domain) return
    for (const result of days) addVisits(store.db, domain, result)
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

type CountedSite = Pick<DomainRow, 'id' | 'name'> & { readonly account: AccountName }

const domainsAfter = (db: Db, node: string, after: string): CountedSite[] =>
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
    .where(and(gt(domains.id, after), eq(accounts.node, node)))
    .orderBy(asc(domains.id))
    .limit(sitesAtOnce)
    .all()
    .map(({ account, ...site }) => ({ ...site, account: hostNameOf(account) }))

function logOf(db: Db, { id, name, account }: CountedSite): SiteLog {
  const since = placeOf(db, id)
  return { account, file: fileOf(name), ...(since && { since }) }
}
