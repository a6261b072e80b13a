import type { AccountCore } from '../../contract/account.ts'
import { DISCARD, type Forwarder, type Mailbox, type MailDomain } from './state.ts'

/** Every domain must take mail for them (RFC 5321, RFC 2142); the last one is in each zone's SOA record. */
const roles = ['postmaster', 'abuse', 'hostmaster'] as const

/** What becomes of mail: `closed` mailboxes refuse it, and `missing` addresses do not exist. */
export type Reach = 'open' | 'closed' | 'missing'

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1)

/** The address that is looked up: without `+…`, in lower case. */
function bare(address: string): string {
  const at = address.lastIndexOf('@')
  return `${address.slice(0, at).replace(/\+.*$/s, '')}${address.slice(at)}`.toLowerCase()
}

/** Whether this machine delivers a domain's mail, now or once the domain is verified. */
export const isLocal = ({ routing, unverified }: MailDomain): boolean => routing === 'local' || unverified === true

/** Where mail for an account's own addresses leads: through forwarders and catch-alls to mailboxes, or out. */
export class MailRoutes {
  readonly #core: AccountCore
  readonly #mailboxes = new Map<string, Mailbox | undefined>()
  readonly #forwarders = new Map<string, Forwarder>()
  readonly #catchAlls = new Map<string, string>()
  readonly #local: ReadonlySet<string>
  readonly #contact: string | undefined

  constructor(core: AccountCore, domains: readonly MailDomain[]) {
    this.#core = core
    const local = domains.filter(isLocal)
    this.#local = new Set(local.map(({ domain }) => domain))
    if (this.#local.has(core.mainDomain)) this.#mailboxes.set(this.#own, undefined)
    for (const { domain, mailboxes, forwarders, catchAll } of local) {
      for (const one of mailboxes) if (!one.gone) this.#mailboxes.set(`${one.local}@${domain}`, one)
      for (const one of forwarders) this.#forwarders.set(`${one.local}@${domain}`, one)
      if (catchAll !== undefined) this.#catchAlls.set(domain, catchAll)
    }
    this.#contact = this.#recipientOfRoles()
  }

  get #own(): string {
    return `${this.#core.username}@${this.#core.mainDomain}`
  }

  /** The account's contact, or its own mailbox if that address is missing or undeliverable. */
  #recipientOfRoles(): string | undefined {
    const { contactEmail } = this.#core
    const own = this.#mailboxes.has(this.#own) ? this.#own : undefined
    if (contactEmail === '') return own
    return this.reach(contactEmail) === 'open' ? contactEmail : own
  }

  /** The role addresses of a domain that its owner has not set up, each with its recipient. */
  roles(domain: string): (readonly [address: string, recipient: string])[] {
    const contact = this.#contact
    if (contact === undefined || !this.#local.has(domain)) return []
    const all = roles.map((role) => `${role}@${domain}`)
    return all.filter((address) => !this.#isSetUp(address)).map((address) => [address, contact] as const)
  }

  #isSetUp = (address: string): boolean => this.#mailboxes.has(address) || this.#forwarders.has(address)

  #isClosed = (address: string): boolean => this.#mailboxes.get(address)?.noIncoming === true

  #keepsCopy = (address: string, { keepCopy }: Forwarder): boolean => keepCopy && this.#mailboxes.has(address)

  /** The next addresses, or what becomes of mail that goes no further. */
  #next(address: string): Reach | readonly string[] {
    if (!this.#local.has(domainOf(address))) return 'open'
    if (this.#isClosed(address)) return 'closed'
    const forwarder = this.#forwarders.get(address)
    if (forwarder) return this.#keepsCopy(address, forwarder) ? 'open' : forwarder.destinations
    if (this.#mailboxes.has(address)) return 'open'
    const [local = ''] = address.split('@')
    if (this.#contact !== undefined && (roles as readonly string[]).includes(local)) return 'open'
    const catchAll = this.#catchAlls.get(domainOf(address))
    return catchAll === undefined ? 'missing' : [catchAll]
  }

  /** What becomes of mail for an address. */
  reach(address: string): Reach {
    const [seen, waiting] = [new Set<string>(), [address]]
    let result: Reach = 'missing'
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
      if (one === DISCARD) return 'open'
      const at = bare(one)
      if (seen.has(at)) continue
      seen.add(at)
      const next = this.#next(at)
      if (next === 'open') return 'open'
      if (next === 'closed') result = 'closed'
      else if (next !== 'missing') waiting.push(...next)
    }
    return result
  }

  /** Where a forwarder's mail goes: without closed mailboxes and undeliverable addresses. */
  targets(domain: string, forwarder: Forwarder): string[] {
    const address = `${forwarder.local}@${domain}`
    if (this.#isClosed(address)) return []
    const copies = this.#keepsCopy(address, forwarder) ? [address] : []
    const others = forwarder.destinations.filter((one) => one !== DISCARD && this.reach(one) === 'open')
    return [...new Set([...copies, ...others])]
  }

  /** The addresses that lead to each mailbox, besides its own. */
  leading(): ReadonlyMap<string, readonly string[]> {
    const found = new Map<string, string[]>()
    const starts: (readonly [string, readonly string[]])[] = [...this.#forwarders].map(
      ([address, { destinations }]) => [address, destinations],
    )
    for (const domain of this.#local)
      for (const [address, recipient] of this.roles(domain)) starts.push([address, [recipient]])
    for (const [address, next] of starts.toSorted(([a], [b]) => (a < b ? -1 : 1)))
      for (const mailbox of this.#mailboxesOn(next))
        if (mailbox !== address) found.set(mailbox, [...(found.get(mailbox) ?? []), address])
    return found
  }

  /** The mailboxes that mail for some addresses comes to. */
  #mailboxesOn(addresses: readonly string[]): ReadonlySet<string> {
    const [seen, found, waiting] = [new Set<string>(), new Set<string>(), [...addresses]]
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
      const at = bare(one)
      if (seen.has(at)) continue
      seen.add(at)
      const forwarder = this.#forwarders.get(at)
      if (this.#mailboxes.has(at) && (!forwarder || forwarder.keepCopy)) found.add(at)
      if (forwarder) waiting.push(...forwarder.destinations)
    }
    return found
  }
}
