import type { getImportChecklist } from '../../../contract/imports.ts'
import type { Output } from '../../../contract/operation.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { accountById, addressesOfAccount, type FullAccount } from '../../accounts/store.ts'
import { serversFor } from '../../dns/save-zone.ts'
import { recordsOf, zoneOfDomain } from '../../dns/store.ts'
import { namesOf } from '../../domains/names.ts'
import { servedDomains } from '../../domains/store.ts'
import type { ImportHead } from '../tables.ts'
import { type PublicNames, publicNames } from './public-dns.ts'

type Item = Output<typeof getImportChecklist>['items'][number]

const MAX_DOMAINS = 50
const LOW_TTL = 300

/** The domains that have a zone. */
export function domainsOf({ db }: Pick<Context, 'db'>, { account_id, former }: ImportHead): readonly string[] {
  const own = account_id === null ? [] : servedDomains(db, account_id)
  const names = own.filter(({ kind, name }) => kind !== 'sub' && !name.startsWith('*.')).map(({ name }) => name)
  return (names.length > 0 ? names : (former?.domains ?? [])).slice(0, MAX_DOMAINS)
}

/** What remains to be done, in its order. */
export function checklistOf(ctx: Context, row: ImportHead): Item[] {
  const account = row.account_id === null ? undefined : accountById(ctx.db, row.account_id)
  const domains = domainsOf(ctx, row).map((name) => new DomainMove(ctx, row, account, name))
  const name = row.username || row.id
  return [
    ...domains.map((domain) => domain.ttl()),
    ...(row.former?.isSigned ? domains.map((domain) => domain.signature()) : []),
    {
      step: 3,
      text: `Compare the pages: panel import compare ${name}. For a look of your own, put the line into your hosts file`,
      ...(account && { then: hostsLine(ctx, account) }),
      done: row.compared_at !== null,
    },
    {
      step: 4,
      text: 'Stop changes on the old server: what is written there from now on does not come along',
      done: row.status === 'active',
    },
    {
      step: 5,
      text: `Activate the account: panel import activate ${name}`,
      now: row.status,
      then: 'active',
      done: row.status === 'active',
    },
    ...domains.flatMap((domain) => domain.records()),
    ...moved(row, account),
    {
      step: 8,
      text: 'Two days after the change of DNS: fetch the mail that still reached the old server, delete the records default._domainkey, close the account there',
      done: false,
    },
  ]
}

const hostsLine = ({ db }: Context, account: FullAccount): string => {
  const names = servedDomains(db, account.id).filter(({ name }) => !name.startsWith('*.'))
  return [account.ip_address, ...names.slice(0, MAX_DOMAINS).flatMap(namesOf)].join(' ')
}

/** Others than the customer have the old address too. */
function moved({ former }: ImportHead, account: FullAccount | undefined): Item[] {
  const old = former?.ips ?? []
  if (!account || old.length === 0 || old.includes(account.ip_address)) return []
  const text = 'Tell the new address to those who have the old one: the PTR record, SPF of third parties, firewalls'
  return [{ step: 7, text, now: old.join(', '), then: addressesOfAccount(account).join(', '), done: false }]
}

/** How far the DNS of a domain has moved. */
class DomainMove {
  readonly #name: string
  readonly #public: PublicNames
  readonly #nameservers: readonly string[]
  readonly #expected: readonly { readonly label: string; readonly now: readonly string[] | undefined; then: string[] }[]

  constructor(ctx: Context, { owner_id }: ImportHead, account: FullAccount | undefined, name: string) {
    const { db, runtime } = ctx
    this.#name = name
    this.#public = publicNames(runtime, name)
    const named = serversFor(ctx, account?.owner_id ?? owner_id)
    this.#nameservers = named.map((one) => one.toLowerCase()).toSorted()
    const domain = account && servedDomains(db, account.id).find((one) => one.name === name)
    const zone = domain && zoneOfDomain(db, domain.id)
    const records = zone ? recordsOf(db, zone.id) : []
    const valuesOf = (at: string, ...types: string[]) =>
      records
        .filter((one) => one.name === at && types.includes(one.type))
        .map(({ priority, value }) => (priority === null ? value : `${priority} ${value}`))
        .toSorted()
    this.#expected = [
      { label: `A and AAAA of ${name}`, now: this.#public.addresses, then: valuesOf('@', 'A', 'AAAA') },
      { label: `A and AAAA of www.${name}`, now: this.#public.www, then: valuesOf('www', 'A', 'AAAA') },
      { label: `MX of ${name}`, now: this.#public.mx, then: valuesOf('@', 'MX') },
    ].filter(({ then }) => then.length > 0)
  }

  get #isDelegated(): boolean {
    const { ns = [] } = this.#public
    return ns.length > 0 && ns.every((one) => this.#nameservers.includes(one))
  }

  get #hasMoved(): boolean {
    const isExpected = this.#expected.every(({ now, then }) => now !== undefined && isSame(now, then))
    return this.#isDelegated || (this.#expected.length > 0 && isExpected)
  }

  ttl(): Item {
    const text = `At the old DNS, lower the TTL of the records to ${LOW_TTL}, a day before the change`
    return { step: 1, domain: this.#name, text, then: String(LOW_TTL), done: this.#hasMoved }
  }

  signature(): Item {
    const text = 'At the registrar, remove the DS record, and wait its TTL, before the name servers change'
    return { step: 2, domain: this.#name, text, done: this.#isDelegated }
  }

  records(): Item[] {
    const at = { step: 6, domain: this.#name } as const
    const delegation: Item = {
      ...at,
      text: 'At the registrar, change the name servers. If the DNS stays elsewhere, change the records below instead',
      ...(this.#public.ns && { now: this.#public.ns.join(', ') }),
      ...(this.#nameservers.length > 0 && { then: this.#nameservers.join(', ') }),
      done: this.#hasMoved,
    }
    const single = this.#expected.map(({ label, now, then }): Item => {
      const done = this.#isDelegated || (now !== undefined && isSame(now, then))
      return {
        ...at,
        text: `If the DNS stays elsewhere: ${label}`,
        ...(now && { now: now.join(', ') }),
        then: then.join(', '),
        done,
      }
    })
    return [delegation, ...single]
  }
}

const isSame = (now: readonly string[], then: readonly string[]): boolean => now.join(' ') === then.join(' ')
