import { existsSync, readFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { FailureCounter } from '../../../shared/failure-counter.ts'
import { bannedNetwork, type Network, networkIn, overlaps } from '../../../shared/networks.ts'
import { BanList } from '../../bans/ban-list.ts'
import { type BanReport, banLines, type HostBans, writeBans } from '../../bans/host-bans.ts'
import {
  type BanExchange,
  type BanPolicy,
  type FoundBan,
  type HostService,
  MAX_FOUND,
} from '../../contract/commands/bans.ts'
import type { Run } from '../commands.ts'
import { writeFile } from '../write-file.ts'
import { Journal } from './journal.ts'
import { ofMailLog, type SignIn, signInOf, units } from './lines.ts'
import { bansFile, bansLoader, changeText, policyFile } from './table.ts'

/** How long an address is banned until the panel says how long. */
const FIRST_BAN_MS = 600_000
/** Bans that the panel has not heard of; while it is away no more are made. */
const MAX_UNHEARD = 5000
/** Connections of which something has counted. */
const MAX_CONNECTIONS = 1000
/** Addresses from which root has signed in. */
const MAX_ROOTS = 100
const A_DAY_MS = 86_400_000
const nft = '/usr/sbin/nft'

export interface BanFiles {
  readonly bans: string
  readonly policy: string
}

interface BansOptions {
  readonly run: Run
  readonly now?: () => number
  readonly files?: BanFiles
  /** The machine's own addresses. */
  readonly own?: () => readonly string[]
}

/** Counts what services say of failed sign-ins, and drops the packets of banned addresses. */
export class DebianBans implements HostBans {
  readonly #run: Run
  readonly #now: () => number
  readonly #files: BanFiles
  readonly #own: () => readonly string[]
  readonly #list = new BanList()
  readonly #counter = new FailureCounter<HostService>()
  /** By network: what the panel has not heard of. */
  readonly #found = new Map<string, FoundBan>()
  readonly #connections = new Set<string>()
  /** Where root has signed in by SSH: when, and the process of the session. */
  readonly #roots = new Map<string, { readonly at: number; readonly pid: string }>()
  #limit: number | undefined
  #isListening = false
  /** Whether the table has what the list has. */
  #isLoaded = false
  #never: readonly Network[] = []
  #applying: Promise<void> = Promise.resolve()
  readonly #journal = new Journal(units, (unit, message, pid) => this.line(unit, message, pid))

  constructor({
    run,
    now = Date.now,
    files = { bans: bansFile, policy: policyFile },
    own = ownAddresses,
  }: BansOptions) {
    this.#run = run
    this.#now = now
    this.#files = files
    this.#own = own
    if (existsSync(files.policy)) this.#obey(JSON.parse(readFileSync(files.policy, 'utf8')) as BanPolicy)
  }

  /** Where the table was never set up, nothing is counted; setup runs while the agent does. */
  listen(): void {
    if (this.#isListening || !existsSync(bansLoader)) return
    this.#isListening = true
    this.#journal.follow()
  }

  async exchange(exchange: BanExchange): Promise<BanReport> {
    this.listen()
    if (exchange.policy) {
      this.#obey(exchange.policy)
      writeFile(this.#files.policy, JSON.stringify(exchange.policy), 0o600)
    }
    // Without any ban, the panel says all there is with each question.
    const former = exchange.after === 0 ? banLines(this.#list.bans) : undefined
    const change = this.#list.take({ ...exchange, bans: exchange.bans.map((ban) => this.#accepted(ban)) })
    if (change) {
      for (const network of change.bans.keys()) this.#found.delete(network)
      // What the panel has not heard of yet stays banned.
      for (const network of this.#found.keys()) this.#list.set(network, this.#now() + FIRST_BAN_MS)
      const isLoaded = this.#isLoaded && former === banLines(this.#list.bans)
      if (change.complete ? !isLoaded : change.bans.size > 0) await this.#apply(change.bans, change.complete)
      else await this.#applying.catch(() => {})
    }
    return { seq: this.#list.seq, found: [...this.#found.values()].slice(0, MAX_FOUND) }
  }

  /** Another node knows less than this host of who must not be banned, and may be hostile. */
  #accepted(ban: BanExchange['bans'][number]): BanExchange['bans'][number] {
    return ban.reported && ban.until > 0 && this.#isExempt(ban.network) ? { ...ban, until: 0 } : ban
  }

  #obey({ failures, never }: BanPolicy): void {
    this.#limit = failures
    this.#never = never.flatMap((text) => networkIn(text) ?? [])
  }

  /** A line of the journal, of a process of root's in this unit. */
  line(unit: string, message: string, pid: string): void {
    const signIn = signInOf(unit, message)
    if (signIn) this.#note(signIn, pid)
  }

  /** A line of Postfix's log. */
  mailLine(line: string): void {
    const signIn = ofMailLog(line, this.#now())
    if (signIn) this.#note(signIn, '')
  }

  #note(signIn: SignIn, pid: string): void {
    const network = bannedNetwork(signIn.address)
    if (network === undefined || this.#limit === undefined) return
    if (signIn.outcome === 'succeeded') this.#succeeded(network, signIn, pid)
    else if (this.#isNew(signIn) && !this.#list.bans.has(network)) this.#failed(network, signIn, this.#limit)
  }

  #succeeded(network: string, { service, name }: SignIn, pid: string): void {
    this.#counter.halve(network, this.#now())
    if (service !== 'ssh' || name !== 'root') return
    this.#roots.delete(network)
    this.#roots.set(network, { at: this.#now(), pid })
    dropOldest(this.#roots, MAX_ROOTS)
  }

  #failed(network: string, { service, name, times }: SignIn, limit: number): void {
    for (let time = 0; time < times; time++) {
      const tally = this.#counter.add({ network, service, name, now: this.#now() }, limit)
      if (tally) return this.#ban(tally)
    }
  }

  /** The end of a connection says again what was said of it before. */
  #isNew({ connection, isEnd }: SignIn): boolean {
    if (connection === undefined) return true
    const isKnown = this.#connections.delete(connection)
    if (isEnd) return !isKnown
    this.#connections.add(connection)
    dropOldest(this.#connections, MAX_CONNECTIONS)
    return true
  }

  #ban(tally: FoundBan): void {
    const { network } = tally
    if (this.#found.size >= MAX_UNHEARD || this.#isExempt(network)) return
    const until = this.#now() + FIRST_BAN_MS
    this.#found.set(network, tally)
    this.#list.set(network, until)
    void this.#apply(new Map([[network, until]]), false).catch((error: Error) => {
      process.stderr.write(`error: ${network} could not be banned: ${error.message}\n`)
    })
  }

  #isExempt(banned: string): boolean {
    const network = networkIn(banned)!
    const own = ['127.0.0.0/8', '::1', ...this.#own()].flatMap((text) => networkIn(text) ?? [])
    return [...own, ...this.#never].some((one) => overlaps(one, network)) || this.#isRoots(banned)
  }

  /** An address that root has signed in from within a day, or is still signed in from. */
  #isRoots(network: string): boolean {
    const root = this.#roots.get(network)
    return root !== undefined && (this.#now() - root.at < A_DAY_MS || existsSync(`/proc/${root.pid}`))
  }

  /** One change after the other: the file first, so that a boot after a crash loads the same. */
  #apply(changed: ReadonlyMap<string, number>, complete: boolean): Promise<void> {
    const apply = async (): Promise<void> => {
      this.#list.forgetExpired(this.#now())
      writeBans(this.#files.bans, banLines(this.#list.bans))
      this.#isLoaded = false
      if (complete || !(await this.#changeTable(changed))) await this.#run(bansLoader, [])
      this.#isLoaded = true
    }
    this.#applying = this.#applying.catch(() => {}).then(apply)
    return this.#applying
  }

  /** False if the table is gone: somebody has emptied the rules. */
  #changeTable(changed: ReadonlyMap<string, number>): Promise<boolean> {
    return this.#run(nft, ['-f', '-'], { input: changeText(changed, this.#now()) }).then(
      () => true,
      () => false,
    )
  }
}

function dropOldest<Key>(
  all: { readonly size: number; keys(): Iterable<Key>; delete(key: Key): boolean },
  max: number,
): void {
  if (all.size <= max) return
  for (const oldest of all.keys()) return void all.delete(oldest)
}

const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address))
