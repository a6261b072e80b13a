import { isLater } from '../../shared/life.ts'
import { sameSecret } from '../../shared/same-secret.ts'
import type { Db, Store } from '../../store/open.ts'
import type { Fingerprint } from '../operations/fingerprint.ts'
import { epochOf, getSetting, setSetting } from './settings.ts'

/**
 * Of two servers of one store, the one with the higher epoch counts; at the same epoch, the one with the higher life.
 */
export interface LeadershipClaim {
  readonly server: string
  readonly epoch: number
  readonly life?: string
  readonly proof: string
}

declare module '../runtime.ts' {
  interface Runtime {
    readonly leadership: Leadership
  }
}

interface Needs {
  readonly store: Store
  readonly fingerprint: Fingerprint
  readonly log: { error(fields: object, message: string): void }
}

/** Whether this server is still in charge of its store, or another took over. */
export class Leadership {
  readonly #needs: Needs
  #lost: string | undefined
  #yieldToNewer = (): void => {}

  constructor(needs: Needs) {
    this.#needs = needs
    const { db } = needs.store
    const by = getSetting(db, 'superseded_by')
    if (by !== undefined && isLater({ epoch: by, life: getSetting(db, 'superseded_life') ?? '' }, lifeOf(db)))
      this.#lose(by)
  }

  /** What it tells the hosts; undefined before its first start. */
  get claim(): LeadershipClaim | undefined {
    const { db } = this.#needs.store
    const server = serverOf(db)
    if (server === undefined) return undefined
    const life = lifeOf(db)
    return { server, ...life, proof: this.#proofOf({ server, ...life }) }
  }

  /** Why it makes no more changes; undefined while it is in charge. */
  get lost(): string | undefined {
    return this.#lost
  }

  /** Runs `act` once another server takes over, or now if that has happened. */
  whenLost(act: () => void): void {
    this.#yieldToNewer = act
    if (this.#lost !== undefined) act()
  }

  /** Called with a later life of its store. Only a server of that store can prove one. */
  hear = (claim: LeadershipClaim): void => {
    const { db, change } = this.#needs.store
    const isOfStore = claim.server === serverOf(db) && sameSecret(claim.proof, this.#proofOf(claim))
    if (!isOfStore || !isLater(claim, lifeOf(db)) || this.#lost !== undefined) return
    this.#lose(claim.epoch)
    void change(() => {
      setSetting(db, 'superseded_by', claim.epoch)
      setSetting(db, 'superseded_life', claim.life ?? null)
    }).catch(() => {})
  }

  #lose(epoch: number): void {
    this.#lost = sentence(epoch)
    this.#needs.log.error({ epoch }, this.#lost)
    this.#yieldToNewer()
  }

  #proofOf = ({ server, epoch, life }: Omit<LeadershipClaim, 'proof'>): string =>
    this.#needs.fingerprint('epoch', [server, epoch, ...(life === undefined ? [] : [life])].join(' '))
}

function lifeOf(db: Db): Pick<LeadershipClaim, 'epoch' | 'life'> {
  const life = getSetting(db, 'incarnation')
  return { epoch: epochOf(db), ...(life !== undefined && { life }) }
}

const serverOf = (db: Db): string | undefined => getSetting(db, 'server_id')

/** A takeover's epoch is its time. */
const sentence = (epoch: number): string =>
  `Another server took over from this one (${new Date(epoch).toISOString()}): this one changes nothing and runs no jobs. Stop it.`
