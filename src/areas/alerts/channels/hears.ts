import { eq } from 'drizzle-orm'
import { rootId } from '../../../runtime/settings/settings.ts'
import { memoize } from '../../../shared/memoize.ts'
import type { Db } from '../../../store/open.ts'
import { resellers } from '../../resellers/tables.ts'
import { type AlertRow, type ChannelRow, channels } from '../tables.ts'
import { concerns } from './kinds.ts'

type Cause = Pick<AlertRow, 'kind' | 'severity' | 'account_id' | 'owner_id'>

/** The channels that may be sent to now, and what decides which causes they hear of. */
export class Listeners {
  readonly #db: Db
  readonly #channels: readonly ChannelRow[]
  readonly #root: string
  readonly #resting = new Map<string, boolean>()

  constructor(db: Db) {
    this.#db = db
    this.#root = rootId(db)
    this.#channels = db.select().from(channels).where(eq(channels.enabled, true)).orderBy(channels.id).all()
  }

  /** Root hears of everything; a reseller of its accounts; an account of itself. */
  of(cause: Cause): ChannelRow[] {
    return this.#channels.filter(
      (channel) => this.#isOf(channel, cause) && concerns(channel.kinds, cause) && !this.#rests(channel),
    )
  }

  byId(id: string): ChannelRow | undefined {
    const channel = this.#channels.find((one) => one.id === id)
    return channel && !this.#rests(channel) ? channel : undefined
  }

  isReseller(ownerId: string): boolean {
    return ownerId !== this.#root
  }

  #isOf({ owner_id, account_id }: ChannelRow, cause: Cause): boolean {
    if (account_id !== null) return cause.account_id === account_id
    return owner_id === this.#root || (cause.account_id !== null && cause.owner_id === owner_id)
  }

  /** A reseller that is suspended, may not see its accounts, or is none any more. */
  #rests({ owner_id, account_id }: ChannelRow): boolean {
    if (account_id !== null || owner_id === this.#root) return false
    return memoize(this.#resting, owner_id, () => isResting(this.#db, owner_id))
  }
}

/** Whether a reseller's channels rest. */
export function isResting(db: Db, id: string): boolean {
  const row = db.select().from(resellers).where(eq(resellers.account_id, id)).get()
  if (!row || row.suspended_at !== null) return true
  return !row.acl.some((privilege) => privilege === 'list-accts' || privilege === 'all')
}
