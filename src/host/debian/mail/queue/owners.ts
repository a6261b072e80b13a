import { isRewritten } from '../../../../shared/patterns.ts'
import type { QueuedMessage } from '../../../mail-queue/select.ts'
import type { Tenant, TenantList } from '../tenants.ts'
import type { Recipient } from './envelope.ts'

export interface OwnersOptions {
  readonly tenants: Pick<TenantList, 'ofDomain' | 'all'>
  /** The account that was seen to submit it. */
  readonly submitter: (id: string) => number | undefined
  readonly recipients: (message: QueuedMessage) => Promise<readonly Recipient[] | undefined>
}

/** Owners that are remembered; the oldest go first. */
const MAX_MESSAGES = 200_000

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1)
type Uids = ReadonlySet<number>

/**
 * Whose a message is: of the account that submitted it, else of the one whose forwarder it leaves by, or whose mailbox it
 * waits for. With several such accounts it belongs to none.
 */
export class MessageOwners {
  readonly #options: OwnersOptions
  readonly #found = new Map<string, number>()
  #forwarding: ReadonlyMap<string, Uids> = new Map()

  constructor(options: OwnersOptions) {
    this.#options = options
  }

  /** Before a list is read: whose forwarders lead where, as of now. */
  begin(): void {
    const forwarding = new Map<string, Set<number>>()
    for (const { uid, destinations } of this.#options.tenants.all())
      for (const address of destinations ?? []) {
        const known = forwarding.get(address) ?? new Set()
        forwarding.set(address, known.add(uid))
      }
    this.#forwarding = forwarding
  }

  async of(message: QueuedMessage): Promise<number | undefined> {
    const known = this.#options.submitter(message.id) ?? this.#found.get(message.id)
    if (known !== undefined) return known
    const forwarder = this.#forwarderOf(message)
    if (forwarder !== undefined) return forwarder
    if (!message.to.every((address) => this.#reaching(address).size > 0)) return undefined
    const owner = this.#ownerOf(message, (await this.#options.recipients(message)) ?? [])
    if (owner !== undefined) this.#remember(message.id, owner)
    return owner
  }

  /** Forwarded mail has a sender of the domain that forwards it, in place of its first recipient. */
  #forwarderOf({ from, to }: QueuedMessage): number | undefined {
    const uid = isRewritten(from) ? this.#tenantOf(from)?.uid : undefined
    if (uid === undefined) return undefined
    const isForwarded = (address: string) => !this.#tenantOf(address) && this.#reaching(address).has(uid)
    return to.every(isForwarded) ? uid : undefined
  }

  #ownerOf({ to }: QueuedMessage, recipients: readonly Recipient[]): number | undefined {
    const [first, ...others] = to.map((address) => this.#ownerBy(address.toLowerCase(), recipients))
    return others.every((uid) => uid === first) ? first : undefined
  }

  /** The account of the address that the message was sent to, if its own mailbox or forwarder led to this one. */
  #ownerBy(address: string, recipients: readonly Recipient[]): number | undefined {
    const sent = recipients.filter((one) => one.address.toLowerCase() === address)
    const owners = new Set(sent.map(({ original }) => this.#tenantOf(original)?.uid))
    const [owner] = owners
    return owners.size === 1 && owner !== undefined && this.#reaching(address).has(owner) ? owner : undefined
  }

  #tenantOf = (address: string): Tenant | undefined => this.#options.tenants.ofDomain(domainOf(address).toLowerCase())

  /** The accounts whose mail may go to an address: it is theirs, or their forwarders lead to it. */
  #reaching(address: string): Uids {
    const own = this.#tenantOf(address)
    const forwarding = this.#forwarding.get(address.toLowerCase()) ?? new Set<number>()
    return own ? new Set([...forwarding, own.uid]) : forwarding
  }

  #remember(id: string, uid: number): void {
    this.#found.set(id, uid)
    if (this.#found.size > MAX_MESSAGES) this.#found.delete(this.#found.keys().next().value!)
  }
}
