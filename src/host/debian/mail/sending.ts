import { isAccountUid } from '../../../shared/account-uids.ts'
import { type CheckMessage, type Submitted, uidHeader } from './milter/session.ts'
import type { Sent } from './sent.ts'
import type { Tenant, TenantList } from './tenants.ts'
import type { WaitingMail } from './waiting.ts'

const tooMany = (what: string, max: number): string =>
  `450 4.7.1 ${what} may send to ${max} recipients in an hour; try again later`
const tooMuch = '450 4.7.1 Too much mail of this account waits to be sent; try again later'
const suspended = '421 4.7.0 This account is suspended'
const notYours = '550 5.7.1 The sender belongs to another account'
const unverified = '553 5.7.1 The domain of this mailbox is not verified'
const unknown = '450 4.7.1 Nothing is known of the sender yet; try again later'

const domainIn = (text: string): string => text.slice(text.lastIndexOf('@') + 1).toLowerCase()

/** The domain of a message's author; undefined unless there is exactly one. */
function authorDomain({ headers }: Submitted): string | undefined {
  const authors = headers.filter(([name]) => name.toLowerCase() === 'from')
  if (authors.length !== 1) return undefined
  const text = authors[0]![1].replaceAll(/"(?:[^"\\]|\\.)*"/g, '').trim()
  return /^(?:[^<>]*<[^<>@\s]+@([^<>@\s]+)>|[^<>@\s]+@([^<>@\s]+))$/.exec(text)?.slice(1).find(Boolean)?.toLowerCase()
}

/** The mail that an account may have waiting, in bytes. */
export const MAX_WAITING_BYTES = 512 * 1024 * 1024

/** Enforces accounts' sending limits, and decides which key signs. */
export class Sending {
  readonly #tenants: TenantList
  readonly #sent: Sent
  readonly #counted: () => void
  readonly #waiting: Pick<WaitingMail, 'of' | 'note'> | undefined

  /** `counted` is called on each change of the counts. */
  constructor(
    tenants: TenantList,
    sent: Sent,
    counted: () => void = () => {},
    waiting?: Pick<WaitingMail, 'of' | 'note'>,
  ) {
    this.#waiting = waiting
    this.#tenants = tenants
    this.#sent = sent
    this.#counted = counted
  }

  sentBy = ({ uid }: Pick<Tenant, 'uid'>): number => this.#sent.of(String(uid))

  /** Whether an account has reached its limit for now. */
  isOver = (tenant: Tenant): boolean =>
    (tenant.perHour !== undefined && this.sentBy(tenant) >= tenant.perHour) || this.#waitsTooMuch(tenant)

  #waitsTooMuch = ({ uid }: Tenant): boolean => (this.#waiting?.of(uid) ?? 0) > MAX_WAITING_BYTES

  /** For SMTP with login: each recipient counts when it is given. */
  readonly bySmtp: CheckMessage = {
    sender: ({ login }) => {
      const tenant = this.#ofLogin(login)
      if (!tenant) return this.#tenants.isUnverified(domainIn(login ?? '')) ? unverified : unknown
      return tenant.suspended ? suspended : undefined
    },
    recipient: ({ login }) => {
      const tenant = this.#ofLogin(login)
      const refused = tenant ? (this.#refusal(tenant, login, 1) ?? this.#full(tenant)) : unknown
      if (refused === undefined) this.#count(tenant!, login, 1)
      return refused
    },
    complete: (mail) => {
      const tenant = this.#ofLogin(mail.login)
      if (tenant) this.#note(tenant, mail)
      return { signer: this.#signer(tenant, mail) }
    },
    dropped: ({ login, recipients }) => {
      const tenant = this.#ofLogin(login)
      if (tenant && recipients.length > 0) this.#count(tenant, login, -recipients.length)
    },
  }

  /** For programs on this machine: only the first header says who they belong to. */
  readonly byProgram: CheckMessage = {
    sender: () => undefined,
    recipient: () => undefined,
    complete: (mail) => {
      const uid = uidOf(mail)
      if (uid === undefined) return { refused: unknown }
      if (!isAccountUid(uid)) return {}
      const tenant = this.#tenants.withUid(uid)
      if (!tenant) return { refused: unknown }
      const refused = this.#foreign(tenant, mail) ?? this.#refusal(tenant, undefined, mail.recipients.length)
      if (refused !== undefined) return { refused }
      this.#count(tenant, undefined, mail.recipients.length)
      this.#note(tenant, mail)
      return { signer: this.#signer(tenant, mail) }
    },
    dropped: () => {},
  }

  #ofLogin(login: string | undefined): Tenant | undefined {
    return login === undefined ? undefined : this.#tenants.ofMailbox(login)
  }

  #foreign(tenant: Tenant, { sender }: Submitted): string | undefined {
    const owner = this.#tenants.ofDomain(domainIn(sender))
    return owner && owner.uid !== tenant.uid ? notYours : undefined
  }

  /** What waits already goes on: only new mail is refused. */
  #full(tenant: Tenant): string | undefined {
    return this.#waitsTooMuch(tenant) ? tooMuch : undefined
  }

  #note({ uid }: Tenant, { queueId }: Submitted): void {
    if (queueId !== undefined) this.#waiting?.note(queueId, uid)
  }

  #refusal(tenant: Tenant, login: string | undefined, count: number): string | undefined {
    const rate = login === undefined ? undefined : tenant.rates.get(login)
    if (rate !== undefined && this.#sent.of(login!) + count > rate) return tooMany('This mailbox', rate)
    const { perHour } = tenant
    if (perHour !== undefined && this.sentBy(tenant) + count > perHour) return tooMany('This account', perHour)
    return undefined
  }

  #count(tenant: Tenant, login: string | undefined, count: number): void {
    this.#sent.add(String(tenant.uid), count)
    if (login !== undefined) this.#sent.add(login, count)
    this.#counted()
  }

  /** Signs only for the account's own domains, whatever the author claims. */
  #signer(tenant: Tenant | undefined, mail: Submitted): string | undefined {
    const domain = authorDomain(mail)
    return domain === undefined ? undefined : tenant?.signs.get(domain)
  }
}

/** The mail server adds it first and strips any that a sender adds; later ones may be forged. */
function uidOf({ headers: [first] }: Submitted): number | undefined {
  const [name = '', value = ''] = first ?? []
  return name === uidHeader && /^\d+$/.test(value.trim()) ? Number(value) : undefined
}
