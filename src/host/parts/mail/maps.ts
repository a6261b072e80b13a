import type { AccountCore } from '../../contract/account.ts'
import { pathOfKey } from './dkim.ts'
import type { Forwarder, Mailbox, MailDomain, MailState } from './state.ts'

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
] as const

/** The maps that all accounts share; each account has a fragment in `MAP.d`. */
export const mailMaps = [...postfixMaps, 'rates', 'nosubmit', 'spam', 'dkimkeys', 'dkimsign'] as const

/**
 * Postfix bounds deliveries by destination, so each account has its own: in this directory of its queue each digit is a
 * link to the directory itself, and `socket` one to Dovecot's.
 */
export const destinations = 'panel-lmtp'
const destinationOf = (uid: number): string => `lmtp:unix:${destinations}/${[...String(uid)].join('/')}/socket`

export type MailMap = (typeof mailMaps)[number]

/** Postfix's restrictions for mail to domains that are not verified. */
export const unverifiedClass = 'panel_unverified'

type Rows = readonly (readonly [key: string, value: string])[]

/** The recipient of a domain's mandatory postmaster address, if its owner has an address elsewhere. */
function postmaster({ contactEmail, mainDomain }: AccountCore): string | undefined {
  const elsewhere = contactEmail !== '' && !contactEmail.toLowerCase().endsWith(`@${mainDomain}`)
  return elsewhere ? contactEmail : undefined
}

/** One domain of the account, with the panel's additions. */
export class DomainMaps {
  readonly #core: AccountCore
  readonly #state: MailDomain
  readonly #mailboxes: readonly Mailbox[]

  constructor(core: AccountCore, state: MailDomain) {
    this.#core = core
    this.#state = state
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

  mailboxes(): Rows {
    return this.#locals.map((local) => [this.#at(local), `${this.#state.domain}/${local}/`])
  }

  /** The customer's own entries take precedence over the panel's. */
  aliases(): Rows {
    const rows = new Map<string, string>()
    const contact = this.#isMain ? postmaster(this.#core) : undefined
    if (contact !== undefined && !this.#locals.includes('postmaster')) rows.set(this.#at('postmaster'), contact)
    // Listed because a catch-all would otherwise take their mail, too.
    if (this.#state.catchAll !== undefined) for (const address of this.addresses()) rows.set(address, address)
    for (const forwarder of this.#state.forwarders) rows.set(this.#at(forwarder.local), this.#targets(forwarder))
    const all = this.#state.catchAll === undefined ? [] : [[`@${this.#state.domain}`, this.#state.catchAll] as const]
    return [...byKey([...rows]), ...all]
  }

  #targets({ local, destinations, keepCopy }: Forwarder): string {
    const retained = keepCopy && this.#locals.includes(local) ? [this.#at(local)] : []
    return [...new Set([...retained, ...destinations])].join(',')
  }

  /** Addresses that would take mail, so that senders try again; the domain has no others. */
  unverified(): Rows {
    const { domain, unverified, catchAll } = this.#state
    if (!unverified) return []
    const addresses = [...this.addresses(), ...this.aliases().map(([address]) => address)]
    const rest = catchAll === undefined ? '550 5.1.1 User unknown' : unverifiedClass
    const known = [...new Set(addresses)].filter((address) => !address.startsWith('@'))
    return [[domain, rest], ...known.map((address) => [address, unverifiedClass] as const)]
  }

  closed(): Rows {
    const closed = this.#mailboxes.filter(({ noIncoming }) => noIncoming)
    return closed.map(({ local }) => [this.#at(local), 'REJECT 5.2.1 Mailbox disabled'])
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

  signing(): Rows {
    const { domain, dkim } = this.#state
    return dkim.filter(({ signs }) => signs).map(({ selector }) => [`*@${domain}`, `${selector}._domainkey.${domain}`])
  }
}

const byKey = (rows: Rows): Rows => rows.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))

/** Each mailbox may send as itself, and as the forwarders that lead to it. */
function senders(core: AccountCore, domains: readonly MailDomain[]): Rows {
  const sending = new Set(domains.flatMap((domain) => new DomainMaps(core, domain).sending()))
  const rows = new Map<string, string[]>([...sending].map((address) => [address, [address]]))
  for (const { domain, forwarders } of domains)
    for (const { local, destinations } of forwarders) {
      const key = `${local}@${domain}`
      const may = destinations.filter((destination) => sending.has(destination))
      if (may.length > 0) rows.set(key, [...new Set([...(rows.get(key) ?? []), ...may])])
    }
  return [...rows].map(([key, may]) => [key, may.join(',')])
}

/** The account's rows of every map. */
export function rowsOf(core: AccountCore, { domains, spamFilter, spamBox, spamScore }: MailState) {
  const maps = domains.map((state) => ({ state, maps: new DomainMaps(core, state) }))
  const local = maps.filter(({ state }) => state.routing === 'local')
  const names = (routing: MailDomain['routing']): Rows =>
    domains.filter((one) => one.routing === routing).map(({ domain }) => [domain, core.username])
  const rows: Readonly<Record<MailMap, Rows>> = {
    domains: names('local'),
    relays: names('backup'),
    transports: local.map(({ state }) => [state.domain, destinationOf(core.uid)]),
    mailboxes: local.flatMap(({ maps }) => maps.mailboxes()),
    aliases: [],
    senders: senders(
      core,
      domains.filter(({ unverified }) => !unverified),
    ),
    closed: local.flatMap(({ maps }) => maps.closed()),
    unverified: maps.flatMap(({ maps }) => maps.unverified()),
    rates: maps.flatMap(({ maps }) => maps.rates()),
    nosubmit: core.suspended ? [[core.username, 'suspended']] : [],
    spam: spamFilter ? local.map(({ state }) => [state.domain, `${spamBox ? 'box' : 'mark'} ${spamScore}`]) : [],
    dkimkeys: maps.flatMap(({ maps }) => maps.keys()),
    dkimsign: maps.flatMap(({ maps }) => maps.signing()),
  }
  return { ...rows, aliases: catchAllsLast(local.flatMap(({ maps }) => maps.aliases())) }
}

const catchAllsLast = (rows: Rows): Rows => [
  ...byKey(rows.filter(([key]) => !key.startsWith('@'))),
  ...byKey(rows.filter(([key]) => key.startsWith('@'))),
]

/** A map's lines by key; catch-alls come last. */
export const linesOf = (map: MailMap, rows: Rows): string[] =>
  (map === 'aliases' ? rows : byKey(rows)).map(([key, value]) => `${key} ${value}`)
