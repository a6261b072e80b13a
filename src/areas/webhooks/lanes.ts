const perWebhook = 4
const perFailing = 1
/** A customer, or a reseller with its customers, must not take every slot. */
const perOwner = 16

/** A webhook with deliveries due or in flight. */
interface Lane {
  readonly id: string
  readonly owner: string
  /** When its next attempt is due. */
  due: number
  inProgress: number
  failing: boolean
  /** A failing webhook rests until then. */
  restUntil: number
}

/** Shares slots fairly: webhooks take turns, and one that was served goes to the back of the queue. */
export class Lanes {
  readonly #lanes = new Map<string, Lane>()
  readonly #owners = new Map<string, number>()
  inProgress = 0

  /** Notes that a webhook has a delivery due. */
  touch(id: string, owner: string, due: number, failing = false): void {
    const lane = this.#lane(id, owner)
    lane.due = Math.min(lane.due, due)
    lane.failing ||= failing
  }

  /** Ends every rest: the clock was set back. */
  awaken(): void {
    for (const lane of this.#lanes.values()) lane.restUntil = 0
  }

  /** Updates a webhook from the store. A failing one is kept, or its rest would be forgotten. */
  refresh(id: string, due: number | undefined, failing: boolean): void {
    const lane = this.#lanes.get(id)
    if (!lane) return
    lane.due = due ?? Number.POSITIVE_INFINITY
    lane.failing = failing
    if (due === undefined && !failing && lane.inProgress === 0) this.#lanes.delete(id)
  }

  began(id: string, count: number): void {
    const lane = this.#lanes.get(id)
    if (!lane || count === 0) return
    this.#add(lane, count)
    this.#lanes.delete(id)
    this.#lanes.set(id, lane)
  }

  ended(id: string, restUntil: number): void {
    const lane = this.#lanes.get(id)
    if (!lane) return
    this.#add(lane, -1)
    lane.restUntil = restUntil
  }

  /** How many of the free slots each webhook gets. */
  share(now: number, free: number): Map<string, number> {
    const shares = new Map<string, number>()
    const owners = new Map(this.#owners)
    let ready = [...this.#lanes.values()].filter((lane) => lane.due <= now && lane.restUntil <= now)
    let left = free
    while (left > 0 && ready.length > 0) {
      ready = ready.filter((lane) => {
        const share = shares.get(lane.id) ?? 0
        if (left === 0 || lane.inProgress + share >= room(lane) || !this.#ownerHasRoom(lane, owners)) return false
        shares.set(lane.id, share + 1)
        owners.set(lane.owner, (owners.get(lane.owner) ?? 0) + 1)
        left--
        return true
      })
    }
    return shares
  }

  /** When a webhook with capacity is due next; undefined if none is. */
  next(): number | undefined {
    let next = Number.POSITIVE_INFINITY
    for (const lane of this.#lanes.values())
      if (lane.inProgress < room(lane) && this.#ownerHasRoom(lane, this.#owners))
        next = Math.min(next, Math.max(lane.due, lane.restUntil))
    return next === Number.POSITIVE_INFINITY ? undefined : next
  }

  #lane(id: string, owner: string): Lane {
    let lane = this.#lanes.get(id)
    if (!lane) {
      lane = { id, owner, due: Number.POSITIVE_INFINITY, inProgress: 0, failing: false, restUntil: 0 }
      this.#lanes.set(id, lane)
    }
    return lane
  }

  #add(lane: Lane, count: number): void {
    lane.inProgress += count
    this.inProgress += count
    this.#owners.set(lane.owner, (this.#owners.get(lane.owner) ?? 0) + count)
  }

  #ownerHasRoom = (lane: Lane, owners: ReadonlyMap<string, number>): boolean =>
    lane.owner === 'server' || (owners.get(lane.owner) ?? 0) < perOwner
}

const room = (lane: Lane): number => (lane.failing ? perFailing : perWebhook)
