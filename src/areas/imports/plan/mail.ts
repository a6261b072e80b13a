import type { AliasTarget, SourceAlias, SourceAutoresponder, SourceMailbox } from '../../../host/contract/driver.ts'
import { localParts } from '../../../shared/patterns.ts'
import type { PlannedAccount } from './account.ts'
import type { PlannedDomain } from './domains.ts'
import { verifiableCrypt } from './passwords.ts'
import { mapped, type Planning, refuseUnmapped, skips } from './planning.ts'

export interface PlannedMailbox {
  readonly source: SourceMailbox
  readonly local: string
  readonly domain: string
  /** Undefined: closed until a new password is set. */
  readonly hash: string | undefined
  readonly autoresponder: SourceAutoresponder | undefined
}

export interface PlannedForwarder {
  readonly local: string
  readonly domain: string
  readonly destinations: readonly string[]
  readonly keepCopy: boolean
}

export interface PlannedMail {
  readonly mailboxes: readonly PlannedMailbox[]
  readonly forwarders: readonly PlannedForwarder[]
  /** By domain: an address, or null to refuse. */
  readonly catchAlls: ReadonlyMap<string, string | null>
  readonly remote: readonly string[]
}

const none: PlannedMail = { mailboxes: [], forwarders: [], catchAlls: new Map(), remote: [] }
const hosted = new RegExp(`^${localParts.hosted}$`)
const MAX_DESTINATIONS = 100
/** Forwarders that stand for the alias of a domain. */
const MAX_ALIASES = 500
const addressOf = ({ local, domain }: { readonly local: string; readonly domain: string }): string =>
  `${local}@${domain}`

/** Mailboxes with their passwords, forwarders, catch-alls and answers. */
export function planMail(at: Planning, account: PlannedAccount, domains: readonly PlannedDomain[]): PlannedMail {
  const { source, report } = at
  refuseUnmapped(at, 'mailboxes', source.mailboxes.map(addressOf))
  if (skips(at, 'mail')) return none
  const names = new Map(domains.filter(({ kind }) => kind !== 'parked').map((one) => [one.source.name, one.name]))
  const mailboxes = source.mailboxes.flatMap((one) => planMailbox(at, one, names, account))
  const addresses = new Set(mailboxes.map(addressOf))
  const forwarding = new Forwarding(at, names, addresses, account)
  for (const alias of source.aliases) forwarding.take(alias)
  for (const one of source.mailDomains)
    if (one.aliasOf !== undefined) forwarding.takeDomain(one.domain, one.aliasOf, domains)
  for (const one of source.autoresponders)
    if (!mailboxes.some(({ source: box }) => addressOf(box) === addressOf(one)))
      report.add(
        'mail',
        `autoresponder ${addressOf(one)}`,
        'not_possible',
        'no mailbox has the address, and only mailboxes answer',
      )
  return {
    mailboxes,
    forwarders: forwarding.forwarders,
    catchAlls: forwarding.catchAlls,
    remote: planRouting(at, names),
  }
}

function planMailbox(
  at: Planning,
  source: SourceMailbox,
  names: ReadonlyMap<string, string>,
  account: PlannedAccount,
): PlannedMailbox[] {
  const { report } = at
  const former = addressOf(source)
  const now = mapped(at, 'mailboxes', former)
  if (now === null) {
    report.add('mail', former, 'not_possible', 'left out by map.mailboxes')
    return []
  }
  const isNamed = now !== former
  const local = (
    isNamed ? now.slice(0, now.lastIndexOf('@')) : source.isDefault ? account.username : source.local
  ).toLowerCase()
  const domain = isNamed ? now.slice(now.lastIndexOf('@') + 1).toLowerCase() : names.get(source.domain)
  if (domain === undefined || (isNamed && ![...names.values()].includes(domain))) {
    report.add('mail', former, 'not_possible', 'its domain does not come')
    return []
  }
  const address = addressOf({ local, domain })
  if (!hosted.test(`${local}@`.slice(0, -1)) && !new RegExp(`^${localParts.hosted}@`).test(`${local}@`)) {
    report.add('mail', former, 'not_possible', 'a mailbox cannot have this name', {
      fix: `--map mailboxes:${former}=NAME@${domain}`,
    })
    return []
  }
  const hash = hashOf(at, source)
  sayMailbox(at, source, address, hash)
  const autoresponder = at.source.autoresponders.find((one) => addressOf(one) === former)
  if (autoresponder) sayAutoresponder(at, address, autoresponder)
  return [{ source, local, domain, hash, autoresponder }]
}

function hashOf({ source, options }: Planning, box: SourceMailbox): string | undefined {
  const hash = box.isDefault ? source.plan.passwordHash : box.hash
  return options.passwords !== 'none' && hash !== undefined && verifiableCrypt(hash) ? hash : undefined
}

function sayMailbox(
  { report, options }: Planning,
  source: SourceMailbox,
  address: string,
  hash: string | undefined,
): void {
  const former = addressOf(source)
  const about = `mailbox with ${source.messages} ${source.messages === 1 ? 'message' : 'messages'}`
  if (source.isDefault)
    report.add('mail', address, 'changed', `the default address becomes a ${about}`, { from: former, to: address })
  else if (former !== address) report.add('mail', address, 'changed', about, { from: former, to: address })
  else report.add('mail', address, 'as_is', source.isLocked ? `${about}, closed as before` : about)
  if (source.format === 'mdbox')
    report.add(
      'mail',
      `${address} messages`,
      'not_possible',
      'messages are stored as mdbox, which this host cannot read',
    )
  if (hash !== undefined) {
    if (hash.startsWith('$1$'))
      report.add('mail', `${address} password`, 'as_is', 'goes on working; its hash is weak (MD5)')
    return
  }
  const why =
    options.passwords === 'none'
      ? 'passwords are left out'
      : source.hash === undefined && !source.isDefault
        ? 'it had none'
        : 'its hash cannot be verified here'
  report.add('mail', `${address} password`, 'not_possible', `closed until a new password is set: ${why}`, {
    fix: `panel email change-password ${address}`,
  })
}

function sayAutoresponder({ report }: Planning, address: string, { subject, isHtml }: SourceAutoresponder): void {
  const losses = [
    ...(/%\w+%/.test(`${subject}`) ? ['words such as %subject% are left out'] : []),
    ...(isHtml ? ['it is sent as plain text'] : []),
  ]
  const text = losses.length > 0 ? `autoresponder: ${losses.join(', ')}` : 'autoresponder'
  report.add('mail', `autoresponder ${address}`, losses.length > 0 ? 'changed' : 'as_is', text)
}

function planRouting({ source, report }: Planning, names: ReadonlyMap<string, string>): string[] {
  return source.mailDomains.flatMap(({ domain, routing }) => {
    const name = names.get(domain)
    if (name === undefined || (routing !== 'remote' && routing !== 'secondary')) return []
    report.add('mail', `routing ${name}`, 'changed', 'its mail is received elsewhere: routing remote', {
      from: routing,
      to: 'remote',
    })
    return [name]
  })
}

const whatTheyAre: Readonly<Partial<Record<AliasTarget['kind'], string>>> = {
  program: 'mail cannot be piped to a program',
  file: 'mail cannot be written to a file',
  include: 'addresses cannot be read from a file',
  blackhole: 'mail cannot be thrown away at one address',
}

/** Turns the aliases of an archive into forwarders and catch-alls. */
class Forwarding {
  readonly forwarders: PlannedForwarder[] = []
  readonly catchAlls = new Map<string, string | null>()
  readonly #at: Planning
  readonly #names: ReadonlyMap<string, string>
  readonly #mailboxes: ReadonlySet<string>
  readonly #account: PlannedAccount

  constructor(
    at: Planning,
    names: ReadonlyMap<string, string>,
    mailboxes: ReadonlySet<string>,
    account: PlannedAccount,
  ) {
    this.#at = at
    this.#names = names
    this.#mailboxes = mailboxes
    this.#account = account
  }

  take(alias: SourceAlias): void {
    const { report } = this.#at
    const domain = this.#names.get(alias.domain)
    if (domain === undefined)
      return report.add(
        'mail',
        `${alias.local}@${alias.domain}`,
        'not_possible',
        'its domain does not come',
        placeOf(alias),
      )
    if (alias.local === '*') return this.#catchAll(alias, domain)
    const local = alias.local.toLowerCase()
    const address = addressOf({ local, domain })
    const other = alias.targets.filter(({ kind }) => kind in whatTheyAre)
    for (const { kind, value } of other)
      report.add(
        'mail',
        `forwarder ${address}`,
        'not_possible',
        `${whatTheyAre[kind]}${value && `: ${value}`}`,
        placeOf(alias),
      )
    if (alias.targets.some(({ kind }) => kind === 'fail'))
      return report.add(
        'mail',
        `forwarder ${address}`,
        'changed',
        'addresses that do not exist are refused anyway',
        placeOf(alias),
      )
    this.#forward({ ...alias, local }, address, domain)
  }

  /** Mailboxes are not doubled: each address of the other domain has a forwarder that leads to it. */
  takeDomain(former: string, target: string, domains: readonly PlannedDomain[]): void {
    const { report } = this.#at
    const domain = domains.find(({ source }) => source.name === former)?.name
    const to = this.#names.get(target)
    const [item, place] = [
      `domain alias ${domain ?? former}`,
      { from: former, to: to ?? target, file: `vad/${former}` },
    ]
    if (domain === undefined || to === undefined)
      return report.add('mail', item, 'not_possible', 'one of the two domains does not come', place)
    const ofTarget = [...this.#mailboxes, ...this.forwarders.map(addressOf)].filter((one) => one.endsWith(`@${to}`))
    const taken = new Set([...this.#mailboxes, ...this.forwarders.map(addressOf)])
    const locals = [...new Set(ofTarget.map((one) => one.slice(0, one.lastIndexOf('@'))))]
    const missing = locals.filter((local) => local !== 'catch-all' && !taken.has(addressOf({ local, domain })))
    if (missing.length > MAX_ALIASES)
      return report.add('mail', item, 'not_possible', `${to} has more than ${MAX_ALIASES} addresses`, place)
    for (const local of missing)
      this.forwarders.push({ local, domain, destinations: [addressOf({ local, domain: to })], keepCopy: false })
    report.add('mail', item, 'changed', `${missing.length} forwarders lead to the addresses of ${to}`, place)
  }

  #forward(alias: SourceAlias, address: string, domain: string): void {
    const { report } = this.#at
    const to = this.#destinations(alias, address)
    if (to.length === 0) return
    if (to.length > MAX_DESTINATIONS)
      return report.add(
        'mail',
        `forwarder ${address}`,
        'not_possible',
        `it has more than ${MAX_DESTINATIONS} destinations`,
        placeOf(alias),
      )
    const keepCopy = this.#mailboxes.has(address)
    this.forwarders.push({ local: alias.local, domain, destinations: to, keepCopy })
    const text = keepCopy ? 'forwarder; the mailbox keeps a copy' : 'forwarder'
    report.add('mail', `forwarder ${address}`, 'as_is', `${text} to ${to.join(', ')}`, placeOf(alias))
  }

  /** Addresses; a bare name is an address of the domain, and the account's own is its mailbox. */
  #destinations({ targets, domain }: SourceAlias, address: string): string[] {
    const all = targets.flatMap(({ kind, value }) => {
      if (kind === 'address') return [this.#now(value)]
      if (kind !== 'local') return []
      return value === this.#at.source.username
        ? [addressOf({ local: this.#account.username, domain: this.#account.mainDomain })]
        : [this.#now(`${value}@${domain}`)]
    })
    return [...new Set(all)].filter((one) => one.toLowerCase() !== address)
  }

  #now(text: string): string {
    const at = text.lastIndexOf('@')
    const domain = text.slice(at + 1).toLowerCase()
    return `${text.slice(0, at)}@${this.#names.get(domain) ?? domain}`
  }

  #catchAll(alias: SourceAlias, domain: string): void {
    const { report } = this.#at
    const name = `catch-all ${domain}`
    const to = this.#destinations(alias, '')
    const [only] = to
    if (to.length === 1 && this.#mailboxes.has(only!)) {
      this.catchAlls.set(domain, only!)
      return report.add('mail', name, 'as_is', `goes to ${only}`, placeOf(alias))
    }
    if (to.length === 0) {
      this.catchAlls.set(domain, null)
      return report.add('mail', name, 'changed', 'other addresses are refused', placeOf(alias))
    }
    this.forwarders.push({ local: 'catch-all', domain, destinations: to, keepCopy: false })
    this.catchAlls.set(domain, `catch-all@${domain}`)
    report.add(
      'mail',
      name,
      'changed',
      `goes to the forwarder catch-all@${domain}, which leads to ${to.join(', ')}`,
      placeOf(alias),
    )
  }
}

const placeOf = ({ file, line }: SourceAlias) => ({ file, line })
