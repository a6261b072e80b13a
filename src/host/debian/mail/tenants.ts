import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What matters about an account for the mail that it sends. */
export interface Tenant {
  readonly username: string
  readonly uid: number
  readonly suspended: boolean
  /** Recipients per hour; unlimited if absent. */
  readonly perHour: number | undefined
  /** Limits of mailboxes that have their own. */
  readonly rates: ReadonlyMap<string, number>
  readonly mailboxes: ReadonlySet<string>
  /** Its mail domains that are not verified. */
  readonly unverified?: ReadonlySet<string>
  /** Its other mail domains. */
  readonly domains: ReadonlySet<string>
  /** Where its forwarders, catch-alls and contact addresses lead. */
  readonly destinations?: ReadonlySet<string>
  /** Those with DKIM, and the names of their keys. */
  readonly signs: ReadonlyMap<string, string>
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1)

/** This machine's accounts, from /etc/panel; loaded lazily. */
export class TenantList {
  readonly #etc: string
  #byUid: Map<number, Tenant> | undefined
  #uidByDomain = new Map<string, number>()

  constructor(etc = '/etc/panel') {
    this.#etc = etc
  }

  withUid(uid: number): Tenant | undefined {
    return this.#all().get(uid)
  }

  /** The owner of a domain. */
  ofDomain(domain: string): Tenant | undefined {
    const all = this.#all()
    return all.get(this.#uidByDomain.get(domain) ?? 0)
  }

  /** The owner of a mailbox that may send under this address. */
  ofMailbox(address: string): Tenant | undefined {
    const tenant = this.ofDomain(domainOf(address))
    return tenant?.mailboxes.has(address) ? tenant : undefined
  }

  /** Whether nothing may be sent under a domain. */
  isUnverified(domain: string): boolean {
    for (const tenant of this.all()) if (tenant.unverified?.has(domain)) return true
    return false
  }

  /** Whether a domain is this machine's: a verified one of an account, or the server's own name. */
  isOwn(domain: string): boolean {
    const tenant = this.ofDomain(domain)
    if (tenant) return !tenant.unverified?.has(domain)
    return rowsIn(this.#text('mail/domains.d/_server')).some(([name]) => name === domain)
  }

  /** The score from which mail for a domain goes to Junk; undefined if none does. */
  junkScore(domain: string): number | undefined {
    const tenant = this.ofDomain(domain)
    const script = tenant && this.#text(`mail/sieve.d/${tenant.username}/spam-${domain}.sieve`)
    return /"X-Spam-Level" "(\*+)"/.exec(script ?? '')?.[1]?.length
  }

  all(): IterableIterator<Tenant> {
    return this.#all().values()
  }

  /** Reloads an account, or drops one that no longer exists. */
  changed(username: string, uid: number): void {
    if (this.#byUid) this.#read(username, uid)
  }

  #all(): Map<number, Tenant> {
    if (!this.#byUid) {
      this.#byUid = new Map()
      for (const name of this.#names('users.d')) this.#read(name)
    }
    return this.#byUid
  }

  #read(username: string, known?: number): void {
    const found = this.#tenant(username)
    const uid = found?.uid ?? known
    if (uid === undefined) return
    for (const domain of this.#byUid!.get(uid)?.domains ?? []) this.#uidByDomain.delete(domain)
    this.#byUid!.delete(uid)
    if (!found) return
    this.#byUid!.set(uid, found)
    for (const domain of found.domains) this.#uidByDomain.set(domain, uid)
  }

  #tenant(username: string): Tenant | undefined {
    const uid = Number(this.#text(`users.d/${username}`).split(':')[2])
    if (!Number.isSafeInteger(uid) || uid === 0) return undefined
    const rows = (map: string) => rowsIn(this.#text(`mail/${map}.d/${username}`))
    const senders = rows('senders')
    const signs = new Map(rows('dkimsign').map(([pattern, key]) => [domainOf(pattern), key]))
    const domains = [...rows('domains'), ...rows('relays')].map(([name]) => name)
    return {
      username,
      uid,
      suspended: rows('nosubmit').length > 0,
      perHour: limitIn(this.#text(`limits.d/${username}`)),
      rates: new Map(rows('rates').map(([address, rate]) => [address, Number(rate)])),
      mailboxes: new Set(senders.flatMap(([, may]) => may.split(','))),
      domains: new Set([...domains, ...signs.keys(), ...senders.map(([address]) => domainOf(address))]),
      destinations: new Set(rows('aliases').flatMap(([, targets]) => targets.toLowerCase().split(','))),
      signs,
      unverified: new Set(rows('unverified').flatMap(([key]) => (key.includes('@') ? [] : [key]))),
    }
  }

  #names(folder: string): string[] {
    return orNothing(() => readdirSync(join(this.#etc, folder))).filter((name) => !name.startsWith('.'))
  }

  #text(path: string): string {
    return orNothing(() => [readFileSync(join(this.#etc, path), 'utf8')])[0] ?? ''
  }
}

/** By login, the allowed senders: its own name, the empty one, and any address of its domains. */
export const sendersText = (tenants: readonly Tenant[]): string =>
  tenants
    .map(
      ({ username, domains }) =>
        `${[username, username, '<>', ...[...domains].sort().map((name) => `@${name}`)].join(' ')}\n`,
    )
    .sort()
    .join('')

const rowsIn = (text: string): [string, string][] =>
  text.split('\n').flatMap((line) => {
    const at = line.indexOf(' ')
    return at < 0 ? [] : [[line.slice(0, at), line.slice(at + 1)] as [string, string]]
  })

function limitIn(text: string): number | undefined {
  const found = /^emails_per_hour=(\d+)$/m.exec(text)?.[1]
  return found === undefined ? undefined : Number(found)
}

function orNothing(read: () => string[]): string[] {
  try {
    return read()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
