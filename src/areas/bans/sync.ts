import { asc, gt } from 'drizzle-orm'
import { type BanExchange, type BanPolicy, type FoundBan, MAX_BANS_AT_ONCE } from '../../host/contract/driver.ts'
import { REPLY_TIMEOUT_MS, within } from '../../host/nodes/fleet/deadline.ts'
import type { LinkedHost } from '../../host/nodes/fleet/fleet.ts'
import type { Outside } from '../../runtime/areas/area.ts'
import type { Engine } from '../../runtime/areas/engine.ts'
import { every } from '../../runtime/clock/interval.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { settingOf } from '../../runtime/settings/settings.ts'
import { bannedNetwork } from '../../shared/networks.ts'
import { localNode } from '../../shared/node-name.ts'
import { hour, minute } from '../../shared/time.ts'
import { announce, type BanChanges, ownChanges, stopAnnouncing } from './announce.ts'
import { banFor, lift } from './ban.ts'
import { administrators, neverBanned } from './exempt.ts'
import { isExempt } from './failures.ts'
import { DEFAULT_BAN_FAILURES } from './settings.ts'
import { allBansOf, bansOf, forgetOldBans, lastSeq } from './store.ts'
import { bans } from './tables.ts'

/** What one node has banned is banned on all within two seconds. */
const INTERVAL_MS = 1000
/** Of one node, which may be hostile. */
const MAX_TAKEN_PER_MINUTE = 60
const MAX_PER_NODE = 5000

/** What a host has heard of. */
interface Heard {
  seq: number
  policy: string
  /** What it has banned and must not. */
  never: readonly string[]
  /** Whether it was told everything anew in this round: a hostile one would never have heard enough. */
  isRetold: boolean
}

/** Tells all hosts of bans, and learns of those that they made themselves. */
export function startBans(runtime: Runtime, { fleet, host }: Outside): Engine {
  const sync = new BanSync(runtime)
  const run = () => sync.run(fleet.linked)
  const stop = every(runtime, () => (host.kind === 'debian' ? INTERVAL_MS : hour), failure, run)
  const heard = (): void => void run().catch((error: unknown) => runtime.log.error({ err: error }, failure))
  const revoked = ({ name }: { name: string }): void => void liftAllOf(runtime, name)
  runtime.signals.on('bans', heard).on('nodeRevoked', revoked)
  return {
    async stop() {
      runtime.signals.off('bans', heard).off('nodeRevoked', revoked)
      await stop()
      await sync.stop()
      stopAnnouncing(runtime)
    },
  }
}

/** What a machine said that is trusted no more. */
async function liftAllOf(runtime: Runtime, node: string): Promise<void> {
  try {
    await runtime.store.change(() => {
      const changes = ownChanges(runtime)
      for (const ban of allBansOf(changes.db, changes.now, node)) lift(changes, ban)
    })
  } catch (error) {
    runtime.log.error({ err: error }, 'the bans of a node could not be lifted')
  }
}

const failure = 'hosts could not hear of bans'

class BanSync {
  readonly #runtime: Runtime
  readonly #heard = new Map<string, Heard>()
  /** By node: one that is slow, or never answers, holds up no other. */
  readonly #rounds = new Map<string, Promise<void>>()
  /** Hosts that are to have another round after the one in progress. */
  readonly #waiting = new Map<string, LinkedHost>()
  readonly #ending = new AbortController()
  #forgotten = 0
  /** By node: how many bans were taken from it in this minute, over all its connections. */
  readonly #taken = new Map<string, number>()
  #minute = 0

  constructor(runtime: Runtime) {
    this.#runtime = runtime
  }

  /** Begins a round with each host. */
  async run(linked: readonly LinkedHost[]): Promise<void> {
    await this.#upkeep()
    const names = new Set(linked.map(([node]) => node))
    for (const node of this.#heard.keys()) if (!names.has(node)) this.#heard.delete(node)
    for (const one of linked) this.#begin(one)
  }

  async stop(): Promise<void> {
    this.#ending.abort()
    await Promise.all(this.#rounds.values())
  }

  /** One round of a host after the other. */
  #begin(one: LinkedHost): void {
    const [node] = one
    if (this.#ending.signal.aborted) return
    if (this.#rounds.has(node)) return void this.#waiting.set(node, one)
    const round = this.#send(one).finally(() => {
      this.#rounds.delete(node)
      const next = this.#waiting.get(node)
      this.#waiting.delete(node)
      if (next) this.#begin(next)
    })
    this.#rounds.set(node, round)
  }

  async #upkeep(): Promise<void> {
    const { store, clock } = this.#runtime
    const now = clock.now()
    if (now - this.#forgotten < hour && now >= this.#forgotten) return
    this.#forgotten = now
    await store.change(() => {
      forgetOldBans(store.db, now)
      announce(ownChanges(this.#runtime))
    })
  }

  async #send([node, host]: LinkedHost): Promise<void> {
    const { db } = this.#runtime.store
    const heard = this.#heard.get(node) ?? { seq: 0, policy: '', never: [], isRetold: false }
    // A directory bans nothing by itself.
    if (host.kind === 'directory' && lastSeq(db) === heard.seq) return
    this.#heard.set(node, heard)
    heard.isRetold = false
    try {
      while (await this.#exchange(node, host, heard));
    } catch {
      // It is unreachable, or has an older agent: it hears of it once it answers.
      this.#heard.delete(node)
    }
  }

  /** Whether there is more to say. */
  async #exchange(node: string, host: LinkedHost[1], heard: Heard): Promise<boolean> {
    const exchange = this.#news(heard)
    const { clock } = this.#runtime
    const after = (ms: number, act: () => void) => clock.after(ms, act)
    const { seq, found } = await within({ node, ms: REPLY_TIMEOUT_MS, after, signal: this.#ending.signal }, (signal) =>
      host.exchangeBans(exchange, { signal }),
    )
    if (exchange.policy) heard.policy = JSON.stringify(exchange.policy)
    heard.never = []
    if (found.length > 0) await this.#take(found, node, heard)
    return this.#isBehind(heard, exchange, seq) || heard.never.length > 0
  }

  /** Whether the host has yet to hear of more. */
  #isBehind(heard: Heard, { after, seq, more }: BanExchange, answered: number): boolean {
    const isUnheard = answered !== seq
    heard.seq = isUnheard ? 0 : seq
    if (!isUnheard) return more
    if (heard.isRetold || after === 0) return false
    heard.isRetold = true
    return true
  }

  #news(heard: Heard): BanExchange {
    const { store, clock } = this.#runtime
    const now = clock.now()
    const limit = MAX_BANS_AT_ONCE - heard.never.length
    const rows = store.db.select().from(bans).where(gt(bans.seq, heard.seq)).orderBy(asc(bans.seq)).limit(limit).all()
    const seq = rows.at(-1)?.seq ?? heard.seq
    const policy = policyOf(this.#runtime)
    return {
      ...{ after: heard.seq, seq, more: rows.length === limit },
      bans: [
        ...heard.never.map((network) => ({ network, until: 0 })),
        ...rows.map(({ address, until, lifted_at, origin }) => ({
          network: address,
          until: lifted_at === null && until > now ? until : 0,
          ...(origin === 'node' && { reported: true }),
        })),
      ],
      ...(JSON.stringify(policy) !== heard.policy && { policy }),
    }
  }

  /** What a node has banned is banned everywhere, unless that address is never banned; the node then hears that it is not. */
  async #take(found: readonly FoundBan[], node: string, heard: Heard): Promise<void> {
    const { store } = this.#runtime
    const taken = found.slice(0, this.#roomFor(node))
    this.#taken.set(node, (this.#taken.get(node) ?? 0) + taken.length)
    await store.change(() => {
      const changes = ownChanges(this.#runtime)
      const by = node === localNode ? undefined : node
      if (by !== undefined && bansOf(changes.db, changes.now, by) >= MAX_PER_NODE) return
      for (const one of taken) if (isBannable(changes, one)) banFor(changes, one, by)
    })
    heard.never = taken.filter((one) => !isBannable(ownChanges(this.#runtime), one)).map(({ network }) => network)
  }

  /** How many more are taken from a node in this minute. */
  #roomFor(node: string): number {
    const thisMinute = Math.floor(this.#runtime.clock.now() / minute)
    if (thisMinute !== this.#minute) this.#taken.clear()
    this.#minute = thisMinute
    if (node === localNode) return Number.POSITIVE_INFINITY
    return Math.max(0, MAX_TAKEN_PER_MINUTE - (this.#taken.get(node) ?? 0))
  }
}

const isBannable = (changes: BanChanges, { network }: FoundBan): boolean =>
  bannedNetwork(network) === network && !isExempt(changes, network)

const policyOf = ({ store, clock }: Runtime): BanPolicy => ({
  failures: settingOf(store, 'ban_failures') ?? DEFAULT_BAN_FAILURES,
  never: [...new Set([...neverBanned(store.db), ...administrators(store.db, clock.now())])].filter(isPlain).sort(),
})

const isPlain = (text: string): boolean => /^[0-9a-f.:/]+$/i.test(text)
