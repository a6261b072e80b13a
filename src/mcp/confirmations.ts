import { hash, randomBytes } from 'node:crypto'
import { FairMap, type Holder } from '../shared/fair-map.ts'

export const CONFIRM_TTL_MS = 5 * 60_000
/** How long a person may take to approve a change; its confirmation is valid for as long. */
export const APPROVAL_TTL_MS = 10 * 60_000
const MAX_CONFIRMATIONS = 1000

interface Confirmation {
  readonly fingerprint: string
  expiresAt: number
}

/** Values that confirm one change each, once. Only their hashes are stored. */
export class Confirmations {
  readonly #byHash = new FairMap<Confirmation>(MAX_CONFIRMATIONS)
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  issue(fingerprint: string, holder?: Holder): string {
    const value = randomBytes(18).toString('base64url')
    this.#byHash.deleteWhere(({ expiresAt }) => expiresAt <= this.#now())
    this.#byHash.set(hash('sha256', value), { fingerprint, expiresAt: this.#now() + CONFIRM_TTL_MS }, holder)
    return value
  }

  /** Whether the value confirms this change. */
  isValid(value: string, fingerprint: string): boolean {
    const found = this.#byHash.get(hash('sha256', value))
    return found !== undefined && found.fingerprint === fingerprint && found.expiresAt > this.#now()
  }

  /** Keeps it valid while a person is asked. */
  extend(value: string): void {
    const found = this.#byHash.get(hash('sha256', value))
    if (found) found.expiresAt = Math.max(found.expiresAt, this.#now() + APPROVAL_TTL_MS)
  }

  /** Uses it up; false if another call was faster. */
  take(value: string, fingerprint: string): boolean {
    return this.isValid(value, fingerprint) && this.#byHash.delete(hash('sha256', value))
  }
}
