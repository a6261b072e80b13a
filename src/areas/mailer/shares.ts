import { count, gt, min } from 'drizzle-orm'
import { shareholder } from '../../runtime/jobs/shares.ts'
import { hour } from '../../shared/time.ts'
import type { Db } from '../../store/open.ts'
import { maxPerHour } from './settings.ts'
import { mailMessages } from './tables.ts'

/**
 * What a message counts towards: what root is to hear of, links for forgotten passwords, which strangers request, or the
 * customer or reseller whose it is (its id). No share takes the room of another.
 */
export type Share = string
export const SERVER: Share = 'server'
export const LINKS: Share = 'links'

/** The share of mail about an account. */
export const shareOf = (db: Db, { id, owner_id }: { readonly id: string; readonly owner_id: string }): Share =>
  shareholder(db, id, owner_id)

/** Of an hour's messages, those that customers and resellers may send together. */
const TENANTS_PART = 3 / 4

interface Sent {
  readonly share: Share
  readonly total: number
  readonly first: number | null
}

/** Who has sent how much in the last hour, and whose turn it is. */
export class HourlyShares {
  readonly #now: number
  readonly #max: number
  readonly #sent: readonly Sent[]

  constructor(db: Db, now: number) {
    this.#now = now
    this.#max = maxPerHour(db)
    this.#sent = db
      .select({ share: mailMessages.share, total: count(), first: min(mailMessages.sent_at) })
      .from(mailMessages)
      .where(gt(mailMessages.sent_at, now - hour))
      .groupBy(mailMessages.share)
      .all()
  }

  /** Root's first, then links, then who has sent least; undefined if none of them has room. */
  next(due: readonly Share[]): Share | undefined {
    const rank = (share: Share): number => (share === SERVER ? -2 : share === LINKS ? -1 : this.#used(share))
    return due.toSorted((a, b) => rank(a) - rank(b)).find((share) => this.#hasRoom(share))
  }

  /** When the first message of the hour counts no more. */
  get freeFrom(): number {
    return Math.min(this.#now, ...this.#sent.map(({ first }) => first!)) + hour
  }

  /** Others than root take a place only while more are free than they use. */
  #hasRoom(share: Share): boolean {
    const free = this.#max - this.#total(() => true)
    if (share === SERVER) return free > 0
    if (share === LINKS) return free > this.#used(share)
    const tenants = this.#total((one) => one !== SERVER && one !== LINKS)
    return Math.min(free, Math.ceil(this.#max * TENANTS_PART) - tenants) > this.#used(share)
  }

  #used(share: Share): number {
    return this.#total((one) => one === share)
  }

  #total(counts: (share: Share) => boolean): number {
    return this.#sent.reduce((sum, { share, total }) => sum + (counts(share) ? total : 0), 0)
  }
}
