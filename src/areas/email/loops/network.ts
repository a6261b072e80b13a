import { and, asc, eq, gt, ne, sql } from 'drizzle-orm'
import type { Steps } from '../../../runtime/operations/slices.ts'
import type { Db } from '../../../store/open.ts'
import { prepared } from '../../../store/prepared.ts'
import { accounts } from '../../accounts/tables.ts'
import { domains } from '../../domains/tables.ts'
import { mailboxAt } from '../mailboxes/store.ts'
import { bare, domainOf, isRole } from '../routes.ts'
import { emailDomains, forwarders, type MailFilter, type MailLoopRow, mailboxes, mailFilters } from '../tables.ts'

/** Rows read in one step. */
const PAGE_ROWS = 200

const after = sql.placeholder('after')

const queries = prepared((db: Db) => ({
  domains: db
    .select({
      id: emailDomains.domain_id,
      name: domains.name,
      account_id: emailDomains.account_id,
      catch_all: emailDomains.catch_all,
      node: accounts.mail_node,
      contact: accounts.contact_email,
      own: sql<string>`${accounts.username} || '@' || ${accounts.main_domain}`,
    })
    .from(emailDomains)
    .innerJoin(domains, eq(domains.id, emailDomains.domain_id))
    .innerJoin(accounts, eq(accounts.id, emailDomains.account_id))
    .where(and(gt(emailDomains.domain_id, after), eq(emailDomains.told_routing, 'local')))
    .orderBy(asc(emailDomains.domain_id))
    .limit(PAGE_ROWS)
    .prepare(),
  forwarders: db
    .select()
    .from(forwarders)
    .where(and(gt(forwarders.id, after), ne(forwarders.status, 'deleting')))
    .orderBy(asc(forwarders.id))
    .limit(PAGE_ROWS)
    .prepare(),
  filters: db
    .select({ id: mailboxes.id, local: mailboxes.local, domain_id: mailboxes.domain_id, filters: mailFilters.filters })
    .from(mailFilters)
    .innerJoin(mailboxes, eq(mailboxes.id, mailFilters.mailbox_id))
    .where(gt(mailFilters.mailbox_id, after))
    .orderBy(asc(mailFilters.mailbox_id))
    .limit(PAGE_ROWS)
    .prepare(),
}))

type Page<Row> = { all(values: { readonly after: string }): Row[] }
type LocalDomain = ReturnType<ReturnType<typeof queries>['domains']['all']>[number]
interface Sends {
  readonly id: string
  readonly to: readonly string[]
}
interface Forwards extends Sends {
  readonly keepsCopy: boolean
}

export interface Edge extends Pick<MailLoopRow, 'via' | 'object_id'> {
  readonly to: string
}

/** What becomes of mail for an address at a domain of this panel. */
export interface Hop extends Pick<MailLoopRow, 'account_id'> {
  readonly node: string
  /** The mail server expands such an address once in a message. */
  readonly keepsCopy: boolean
  readonly edges: readonly Edge[]
}

function* eachRow<Row extends { readonly id: string }>(page: Page<Row>, use: (row: Row) => void): Steps<void> {
  for (let last: Row | undefined, first = true; first || last; first = false) {
    const rows = page.all({ after: last?.id ?? '' })
    for (const row of rows) use(row)
    last = rows.at(-1)
    yield
  }
}

const forwardsOf = (filters: readonly MailFilter[]): string[] =>
  filters.flatMap(({ then }) => then.flatMap((one) => (one.action === 'forward' ? [bare(one.address)] : [])))

/** The mail routes between the addresses of all accounts whose domains receive mail here. */
export class MailNetwork {
  readonly #db: Db
  readonly #domains = new Map<string, LocalDomain>()
  readonly #names = new Map<string, string>()
  readonly #forwarders = new Map<string, Forwards>()
  readonly #filters = new Map<string, Sends>()
  readonly #hops = new Map<string, Hop>()

  constructor(db: Db) {
    this.#db = db
  }

  *load(): Steps<void> {
    const { domains: local, forwarders: forwarding, filters: filtering } = queries(this.#db)
    yield* eachRow(local, (one) => {
      this.#domains.set(one.name, one)
      this.#names.set(one.id, one.name)
    })
    yield* eachRow(forwarding, ({ id, destinations, keep_copy, ...at }) =>
      this.#add(this.#forwarders, at, { id, to: destinations.map(bare), keepsCopy: keep_copy }),
    )
    yield* eachRow(filtering, ({ id, filters, ...at }) => this.#add(this.#filters, at, { id, to: forwardsOf(filters) }))
  }

  /** Keeps only what leads to a domain here. */
  #add<S extends Sends>(all: Map<string, S>, at: { local: string; domain_id: string }, sends: S): void {
    const domain = this.#names.get(at.domain_id)
    if (domain !== undefined) all.set(`${at.local}@${domain}`, { ...sends, to: sends.to.filter(this.#isLocal) })
  }

  readonly #isLocal = (address: string): boolean => this.#domains.has(domainOf(address))

  /** Every loop has one of these addresses. */
  get starts(): Iterable<string> {
    const contacts = [...this.#domains.values()].map(({ contact }) => bare(contact))
    return new Set([...this.#forwarders.keys(), ...this.#filters.keys(), ...contacts.filter(this.#isLocal)])
  }

  /** Of an address at a domain here. */
  hop(address: string): Hop {
    let hop = this.#hops.get(address)
    if (hop) return hop
    hop = this.#make(address)
    this.#hops.set(address, hop)
    return hop
  }

  #make(address: string): Hop {
    const domain = this.#domains.get(domainOf(address))!
    const ends = { account_id: domain.account_id, node: domain.node, keepsCopy: false, edges: [] }
    if (this.#forwarders.get(address)?.to.length === 0 && !this.#filters.has(address)) return ends
    const mailbox = this.#mailbox(domain, address)
    return mailbox === 'closed' ? ends : { ...ends, ...this.#sent(domain, address, mailbox === 'open') }
  }

  #mailbox({ id, own }: LocalDomain, address: string): 'open' | 'closed' | undefined {
    const row = mailboxAt(this.#db, { domain_id: id, local: address.slice(0, address.lastIndexOf('@')) })
    if (row && row.status !== 'deleting') return row.suspended_incoming ? 'closed' : 'open'
    return address === own ? 'open' : undefined
  }

  #sent(domain: LocalDomain, address: string, isMailbox: boolean): Pick<Hop, 'keepsCopy' | 'edges'> {
    const forwarder = this.#forwarders.get(address)
    const keepsCopy = isMailbox && forwarder?.keepsCopy === true
    const isDelivered = isMailbox && (!forwarder || keepsCopy)
    const edges = [
      ...edgesOf('forwarder', forwarder),
      ...edgesOf('filter', isDelivered ? this.#filters.get(address) : undefined),
      ...(isMailbox || forwarder ? [] : this.#default(domain, address)),
    ]
    return { keepsCopy, edges }
  }

  /** Of an address that was not set up. */
  #default({ id, catch_all, contact }: LocalDomain, address: string): Edge[] {
    const via = isRole(address) ? 'contact' : 'catch-all'
    const to = via === 'contact' ? contact : (catch_all ?? '')
    return edgesOf(via, { id, to: [bare(to)].filter(this.#isLocal) })
  }
}

const edgesOf = (via: Edge['via'], sends?: Sends): Edge[] =>
  sends ? sends.to.map((to) => ({ via, object_id: sends.id, to })) : []
