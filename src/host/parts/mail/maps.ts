import type { AccountCore } from '../../contract/account.ts'
import { pathOfKey } from './dkim.ts'
import { relayTransport, signIn } from './relay.ts'
import { MailRoutes } from './routes.ts'
import { DISCARD, type Mailbox, type MailDomain, type MailState } from './state.ts'

/** How Postfix signs in to relays, by sender and for the server: only root may read them. */
export const secretMaps = ['relaypasswords', 'serverpasswords'] as const

/** Compiled maps that Postfix reads. */
export const postfixMaps = [
  'domains',
  'relays',
  'transports',
  'mailboxes',
  'aliases',
  'senders',
  'closed',
  'unverified',
  'sendertransports',
  'relaytransports',
  ...secretMaps,
] as const

/** Postfix matches rewritten senders by it: a transport's map must not take a key apart. */
export const relaySendersMap = 'relaysenders'

/** The maps that all accounts share; each account has a fragment in `MAP.d`. */
export const mailMaps = [
  ...postfixMaps,
  relaySendersMap,
  'rates',
  'nosubmit',
  'spam',
  'dkimkeys',
  'dkimsign',
  'seals',
] as const

/** Takes mail of other senders, which this machine forwards, to the agent: it comes back with its sender rewritten. */
export const forwarding = 'forward'
/** Own senders' mail goes out as it is. */
export const ownTransport = 'smtp:'

/**
 * Postfix bounds deliveries by destination, so each account has its own: in this directory of its queue each digit is a
 * link to the directory itself, and `socket` one to Dovecot's.
 */
export const destinations = 'panel-lmtp'
const destinationOf = (uid: number): string => `lmtp:unix:${destinations}/${[...String(uid)].join('/')}/socket`

export type MailMap = (typeof mailMaps)[number]

const isSecret = (map: MailMap): boolean => secretMaps.some((one) => one === map)

/** The mode of a map and of its fragments. */
export const modeOf = (map: MailMap): number => (isSecret(map) ? 0o600 : 0o644)

/** Postfix's restrictions for mail to domains that are not verified. */
export const unverifiedClass = 'panel_unverified'

type Rows = readonly (readonly [key: string, value: string])[]

const refusals = {
  closed: { access: 'REJECT 5.2.1 Mailbox disabled', transport: 'error:5.2.1 Mailbox disabled' },
  missing: { access: '550 5.1.1 User unknown', transport: 'error:5.1.1 User unknown' },
} as const

/** One domain of the account, with the panel's additions. */
export class DomainMaps {
  readonly #core: AccountCore
  readonly #state: MailDomain
  readonly #mailboxes: readonly Mailbox[]
  readonly #routes: MailRoutes

  constructor(core: AccountCore, state: MailDomain, routes: MailRoutes) {
    this.#core = core
    this.#state = state
    this.#routes = routes
    this.#mailboxes = state.mailboxes.filter(({ gone }) => !gone)
  }

  get #isMain(): boolean {
    return this.#state.domain === this.#core.mainDomain
  }

  /** The local parts of all mailboxes, the account's own included. */
  get #locals(): string[] {
    const own = this.#isMain ? [this.#core.username] : []
    return [...new Set([...own, ...this.#mailboxes.map(({ local }) => local)])]
  }

  #at = (local: string): string => `${local}@${this.#state.domain}`

  addresses(): string[] {
    return this.#locals.map(this.#at)
  }

  /** Addresses that may be used as sender. */
  sending(): string[] {
    const silent = new Set(this.#mailboxes.filter(({ noOutgoing }) => noOutgoing).map(({ local }) => local))
    return this.#locals.filter((local) => !silent.has(local)).map(this.#at)
  }

  /** Forwarders whose mail is thrown away. */
  get #discarding(): string[] {
    const { domain, forwarders } = this.#state
    const all = forwarders.filter((one) => one.destinations.includes(DISCARD))
    return all.filter((one) => this.#routes.targets(domain, one).length === 0).map(({ local }) => this.#at(local))
  }

  /** Addresses that refuse mail however it comes: of closed mailboxes, and of forwarders that lead only to such. */
  get #refusing(): ReadonlyMap<string, 'closed' | 'missing'> {
    const { domain, forwarders } = this.#state
    const refused = new Map<string, 'closed' | 'missing'>()
    for (const { local, noIncoming } of this.#mailboxes) if (noIncoming) refused.set(this.#at(local), 'closed')
    for (const one of forwarders) {
      const reach = this.#routes.reach(this.#at(one.local))
      if (reach !== 'open' && this.#routes.targets(domain, one).length === 0) refused.set(this.#at(one.local), reach)
    }
    return refused
  }

  /** A catch-all whose mailbox is closed refuses all mail for unknown addresses. */
  get #isCatchAllClosed(): boolean {
    const { catchAll } = this.#state
    return catchAll !== undefined && this.#routes.reach(catchAll) === 'closed'
  }

  mailboxes(): Rows {
    const others = this.#discarding.filter((address) => !this.addresses().includes(address))
    const paths = [...this.addresses(), ...others].map((address) => [
      address,
      address.slice(0, address.lastIndexOf('@')),
    ])
    return paths.map(([address, local]) => [address!, `${this.#state.domain}/${local}/`])
  }

  transports(): Rows {
    const refused = [...this.#refusing].map(([address, reach]) => [address, refusals[reach].transport] as const)
    return [...this.#discarding.map((address) => [address, 'discard:'] as const), ...refused]
  }

  /** The customer's own entries take precedence over the panel's. */
  aliases(): Rows {
    const { domain, catchAll, forwarders } = this.#state
    const rows = new Map<string, string>(this.#routes.roles(domain))
    // Listed because a catch-all would otherwise take their mail, too.
    if (catchAll !== undefined) for (const [address] of this.mailboxes()) rows.set(address, address)
    // Listed so that the server refuses their mail by the reason.
    for (const address of this.#refusing.keys()) rows.set(address, address)
    for (const forwarder of forwarders) {
      const targets = this.#routes.targets(domain, forwarder)
      if (targets.length > 0) rows.set(this.#at(forwarder.local), targets.join(','))
    }
    return [...byKey([...rows]), ...(catchAll === undefined ? [] : [[`@${domain}`, catchAll] as const])]
  }

  /** Addresses that would take mail, so that senders try again; the domain has no others. */
  unverified(): Rows {
    const { domain, unverified, catchAll } = this.#state
    if (!unverified) return []
    const addresses = [...this.addresses(), ...this.#discarding, ...this.aliases().map(([address]) => address)]
    const rest = catchAll === undefined ? '550 5.1.1 User unknown' : unverifiedClass
    const known = [...new Set(addresses)].filter((address) => !address.startsWith('@'))
    const missing = [...this.#refusing].filter(([, reach]) => reach === 'missing').map(([address]) => address)
    const taking = known.filter((address) => !missing.includes(address))
    return [[domain, rest], ...taking.map((address) => [address, unverifiedClass] as const)]
  }

  /** `below` are the account's other domains: a row for a domain would be theirs, too. */
  closed(below: readonly string[]): Rows {
    const refused = [...this.#refusing].map(([address, reach]) => [address, refusals[reach].access] as const)
    if (!this.#isCatchAllClosed) return refused
    const { domain } = this.#state
    const taken = [...this.mailboxes(), ...this.aliases()].map(([address]) => address)
    const others = [
      ...taken.filter((address) => !address.startsWith('@')),
      ...below.filter((one) => one.endsWith(`.${domain}`)),
    ]
    return [
      ...new Map<string, string>([
        [domain, refusals.closed.access],
        ...others.map((key) => [key, 'DUNNO'] as const),
        ...refused,
      ]),
    ]
  }

  rates(): Rows {
    return this.#mailboxes.flatMap(({ local, perHour }) =>
      perHour === undefined ? [] : [[this.#at(local), String(perHour)] as const],
    )
  }

  keys(): Rows {
    const { domain, dkim } = this.#state
    return dkim.map(({ selector }) => [
      `${selector}._domainkey.${domain}`,
      `${domain}:${selector}:/${pathOfKey(this.#core, domain, selector)}`,
    ])
  }

  /** The addresses whose mail leaves the account, each with the key that seals it. `leaves`: whether mail for an address does. */
  seals(leaves: (address: string) => boolean): Rows {
    const { domain, dkim, catchAll } = this.#state
    const key = dkim.find(({ signs }) => signs)
    if (!key) return []
    const name = `${domain}:${key.selector}:/${pathOfKey(this.#core, domain, key.selector)}`
    const addresses = this.aliases().map(([address]) => address)
    const isSealed = catchAll !== undefined && leaves(`@${domain}`)
    // A catch-all's row would otherwise be that of the others, too.
    const others: Rows = isSealed ? addresses.filter((one) => !leaves(one)).map((one) => [one, '-'] as const) : []
    return [...addresses.filter(leaves).map((one) => [one, name] as const), ...others]
  }

  /** Without an own relay its mail leaves by the server's, or directly. */
  relayTransports(): Rows {
    const { domain, relay, unverified } = this.#state
    return relay && !unverified ? [[`@${domain}`, relayTransport('sender', relay)]] : []
  }

  /** Its forwarded mail does not leave by its relay. */
  relaySenders(): Rows {
    const pattern = `@${this.#state.domain}`.replaceAll('.', '\\.')
    return this.relayTransports().length > 0 ? [[`/^"?srs[01][-+=].*${pattern}$/`, ownTransport]] : []
  }

  relayPasswords(): Rows {
    const { domain, relay, unverified } = this.#state
    const secret = relay && !unverified ? signIn(relay) : undefined
    return secret === undefined ? [] : [[`@${domain}`, secret]]
  }

  signing(): Rows {
    const { domain, dkim } = this.#state
    return dkim.filter(({ signs }) => signs).map(({ selector }) => [`*@${domain}`, `${selector}._domainkey.${domain}`])
  }
}

/** Whether mail for an address of these rows leads on to another domain than theirs. */
function leavingBy(aliases: Rows, domains: ReadonlySet<string>): (address: string) => boolean {
  const next = new Map(aliases.map(([address, targets]) => [address, targets.toLowerCase().split(',')]))
  const found = (address: string) => next.get(address) ?? next.get(`@${domainOf(address)}`) ?? []
  return (address) => {
    const [seen, waiting] = [new Set<string>(), [...(next.get(address) ?? [])]]
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
      if (!domains.has(domainOf(one))) return true
      if (seen.has(one)) continue
      seen.add(one)
      waiting.push(...found(one))
    }
    return false
  }
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1)

const byKey = (rows: Rows): Rows => rows.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))

interface Own {
  readonly state: MailDomain
  readonly maps: DomainMaps
}

/** Each mailbox may send as itself, and as the forwarders that lead to it. */
function senders(domains: readonly Own[]): Rows {
  const sending = new Set(domains.flatMap(({ maps }) => maps.sending()))
  const rows = new Map<string, string[]>([...sending].map((address) => [address, [address]]))
  for (const {
    state: { domain, forwarders },
  } of domains)
    for (const { local, destinations } of forwarders) {
      const key = `${local}@${domain}`
      const may = destinations.filter((destination) => sending.has(destination))
      if (may.length > 0) rows.set(key, [...new Set([...(rows.get(key) ?? []), ...may])])
    }
  return [...rows].map(([key, may]) => [key, may.join(',')])
}

/** The account's rows of every map. */
export function rowsOf(core: AccountCore, { domains, spamFilter, spamBox, spamScore, noSubmit }: MailState) {
  const routes = new MailRoutes(core, domains)
  const maps = domains.map((state): Own => ({ state, maps: new DomainMaps(core, state, routes) }))
  const all = domains.map(({ domain }) => domain)
  const local = maps.filter(({ state }) => state.routing === 'local')
  const names = (routing: MailDomain['routing']): Rows =>
    domains.filter((one) => one.routing === routing).map(({ domain }) => [domain, core.username])
  const rows: Readonly<Record<MailMap, Rows>> = {
    domains: names('local'),
    relays: names('backup'),
    transports: local.flatMap(({ state, maps }) => [[state.domain, destinationOf(core.uid)], ...maps.transports()]),
    mailboxes: local.flatMap(({ maps }) => maps.mailboxes()),
    aliases: [],
    senders: senders(maps.filter(({ state }) => !state.unverified)),
    closed: local.flatMap(({ maps }) => maps.closed(all)),
    unverified: maps.flatMap(({ maps }) => maps.unverified()),
    sendertransports: domains.flatMap(({ domain, unverified }) => (unverified ? [] : [[`@${domain}`, ownTransport]])),
    relaytransports: maps.flatMap(({ maps }) => maps.relayTransports()),
    relaysenders: maps.flatMap(({ maps }) => maps.relaySenders()),
    relaypasswords: maps.flatMap(({ maps }) => maps.relayPasswords()),
    serverpasswords: [],
    rates: maps.flatMap(({ maps }) => maps.rates()),
    nosubmit: core.suspended || noSubmit ? [[core.username, core.suspended ? 'suspended' : 'importing']] : [],
    spam: spamFilter ? local.map(({ state }) => [state.domain, `${spamBox ? 'box' : 'mark'} ${spamScore}`]) : [],
    dkimkeys: maps.flatMap(({ maps }) => maps.keys()),
    dkimsign: maps.flatMap(({ maps }) => maps.signing()),
    seals: [],
  }
  const aliases = catchAllsLast(local.flatMap(({ maps }) => maps.aliases()))
  const leaves = leavingBy(aliases, new Set(local.map(({ state }) => state.domain)))
  return { ...rows, aliases, seals: local.flatMap(({ maps }) => maps.seals(leaves)) }
}

const catchAllsLast = (rows: Rows): Rows => [
  ...byKey(rows.filter(([key]) => !key.startsWith('@'))),
  ...byKey(rows.filter(([key]) => key.startsWith('@'))),
]

/** A map's lines by key; catch-alls come last. */
export const linesOf = (map: MailMap, rows: Rows): string[] =>
  (map === 'aliases' ? rows : byKey(rows)).map(([key, value]) => `${key} ${value}`)
